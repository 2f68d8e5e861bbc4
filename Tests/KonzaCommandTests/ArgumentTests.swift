import KonzaSystem
import Testing

@testable import KonzaCommand

@Suite("The command line")
struct ArgumentTests {
    @Test("is understood with options before and after operands, joined and apart")
    func understood() throws {
        let rows: [[String]] = [
            ["postcards", "get", "abc", "-o", "card.jpg", "--force"],
            ["postcards", "get", "-ocard.jpg", "-f", "abc"],
            ["postcards", "get", "--output=card.jpg", "--force", "--", "abc"],
            ["postcards", "-f", "get", "abc", "-fo", "card.jpg"].filter { $0 != "-f" },
        ]
        for row in rows {
            let invocation = try ArgumentParser.parse(row)
            #expect(invocation.command?.name == "postcards get")
            #expect(invocation.operands == ["abc"])
            #expect(invocation.text("output") == "card.jpg")
            #expect(invocation.has("force"))
        }
    }

    @Test("takes the options of every command before the command too")
    func common() throws {
        let invocation = try ArgumentParser.parse(["--socket", "/tmp/s", "where", "--color=never"])
        #expect(invocation.text("socket") == "/tmp/s")
        #expect(invocation.text("color") == "never")
    }

    @Test("keeps every value of an option that may come again, and the last of one that may not")
    func repeated() throws {
        let invocation = try ArgumentParser.parse(
            ["specimens", "new", "gneiss", "--mineral", "Garnet=5", "--mineral=Biotite", "--dip", "1", "--dip", "2"])
        #expect(invocation.all("mineral") == ["Garnet=5", "Biotite"])
        #expect(invocation.measure("dip") == 2)
    }

    @Test("takes no operands, or many, where that is declared")
    func anyOperands() throws {
        #expect(try ArgumentParser.parse(["specimens", "photograph", "K1"]).operands == ["K1"])
        #expect(try ArgumentParser.parse(["specimens", "photograph", "K1", "a", "b"]).operands == ["K1", "a", "b"])
    }

    @Test("takes an operand that looks like an option or a part after --")
    func escaped() throws {
        #expect(try ArgumentParser.parse(["postcards", "get", "--", "-x"]).operands == ["-x"])
    }

    @Test(
        "that is not understood is refused with what would be",
        arguments: [
            (["wehre"], "cannot understand \"wehre\": no such command; did you mean where?"),
            (["where", "--jsno"], "cannot understand \"--jsno\": no such option of konza where; did you mean --json?"),
            (["where", "-x"], "cannot understand \"-x\": no such option of konza where; did you mean -h?"),
            (["xyzzy"], "cannot understand \"xyzzy\": no such command; see konza help"),
            (["post"], "cannot understand \"post\": no such command; did you mean postcard?"),
            (["where", "here"], "cannot understand \"here\": konza where takes no arguments"),
            (
                ["postcards", "delet", "1"],
                "cannot understand \"delet\": no such part of konza postcards; did you mean delete?"
            ),
            (["where", "--format"], "cannot understand --format: it needs a value (FORM)"),
            (["where", "--json=1"], "cannot understand --json: it takes no value"),
            (
                ["where", "--format", "utn"],
                "cannot understand --format \"utn\": expected decimal, dms, geo, utm"
            ),
            (
                ["postcard", "--countdown", "61"],
                "cannot understand --countdown \"61\": expected a whole number from 0 to 60"
            ),
            (
                ["events", "--types", "position,helth"],
                "cannot understand --types \"helth\": expected position, camera, postcard, shot, health, "
                    + "specimen, occupation, outbox, trail"
            ),
            (
                ["postcards", "show"],
                "cannot understand the command: ID is missing (the postcard's id, from konza postcards); "
                    + "usage: konza postcards show [OPTION]... ID"
            ),
            (
                ["postcards", "show", "a", "b"],
                "cannot understand \"b\": one argument too many; usage: konza postcards show [OPTION]... ID"
            ),
            (
                ["where", "--wat\u{1B}[2Jch"],
                "cannot understand \"--wat[2Jch\": no such option of konza where; see konza help where"
            ),
        ])
    func refused(line: [String], message: String) {
        let failure = #expect(throws: CommandFailure.self) { try ArgumentParser.parse(line) }
        #expect(failure == CommandFailure(message, .usage))
    }

    @Test("has help of at most 80 columns for every command, with every option in it")
    func help() {
        for command in CommandCatalogue.all {
            let page = HelpText.page(command)
            #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(command.name)")
            for option in command.allOptions { #expect(page.contains("--\(option.name)")) }
        }
        #expect(HelpText.overview.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("completes the values of an option by its own command's words where commands differ")
    func completedOptions() throws {
        let cases = BashCompletion.script.split(separator: "\n").filter { $0.contains("; return ;;") }
        for command in CommandCatalogue.all {
            let path = command.path.map { " \($0)" }.joined()
            for option in command.allOptions where option.value?.words.isEmpty == false {
                let words = try #require(option.value?.words)
                let patterns = ["*\" --\(option.name)\"", "\"\(path)\"\" --\(option.name)\""]
                let chosen = cases.first { line in patterns.contains { line.contains($0) } }
                #expect(chosen?.contains("\"\(words.joined(separator: " "))\"") == true, "\(path) --\(option.name)")
            }
        }
    }

    @Test("chooses the socket: option, environment, the first that exists, the system's")
    func socket() {
        func path(_ option: String?, _ environment: [String: String], _ existing: [String]) -> String {
            SocketChoice.path(option: option, environment: environment) { existing.contains($0) }
        }
        let home = ["HOME": "/home/ranger"]
        let own = "/home/ranger/.local/state/konza/konza.sock"
        #expect(path("/a", ["KONZA_SOCKET": "/b"], ["/run/konza.sock"]) == "/a")
        #expect(path(nil, ["KONZA_SOCKET": "/b"], ["/run/konza.sock"]) == "/b")
        #expect(path(nil, home, ["/run/konza.sock", own]) == "/run/konza.sock")
        #expect(path(nil, home, [own]) == own)
        #expect(path(nil, ["XDG_STATE_HOME": "/x"], ["/x/konza/konza.sock"]) == "/x/konza/konza.sock")
        #expect(path(nil, home, []) == "/run/konza.sock")
    }
}
