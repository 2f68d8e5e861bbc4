internal import Foundation
internal import KonzaSystem

/// `konza-lab` from its arguments to its exit status.
public enum LabCommand {
    static let help = """
        konza-lab: the scenarios of the field lab (Tests/Lab/run boots the machine for them)

        usage: konza-lab list [--set short|full|part] [--place guest|here|boots] [--names] [NAME...]
               konza-lab run [--out FOLDER] NAME...      one after another; results into FOLDER
               konza-lab report [--out FOLDER] NAME...   one screenful; exit status 1 unless all have passed

        A NAME may be a whole name or its beginning up to a hyphen: camera, camera-error-flag.

        """

    /// A scenario blocks in system calls, and Swift's pool has as few threads as the machine cores.
    private static let threads = BlockingThreads(named: "scenario", limit: 1024)

    /// Does what was asked for, and ends the process.
    public static func main(arguments: [String]) async -> Never {
        // A peer that closes a connection is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            let rest = try LabArguments(arguments)
            switch rest.verb {
            case "list": list(try rest.selected(), namesOnly: rest.flags.contains("--names"))
            case "run": try LabRun(out: rest.out).run(try rest.selected())
            case "report": exit(try LabReport(out: rest.out).show(try rest.selected()) ? 0 : 1)
            case "body":
                guard let scenario = try rest.selected().first else { throw Complaint("cannot run no scenario") }
                await withTaskExecutorPreference(threads) { await LabRun(out: rest.out).body(scenario) }
            default: say(help)
            }
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("konza-lab: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func list(_ scenarios: [Scenario], namesOnly: Bool) {
        for scenario in scenarios {
            say(scenario.name)
            guard !namesOnly else { continue }
            say("    \(scenario.place.rawValue), \(scenario.extent.rawValue), \(Int(scenario.limitSeconds)) s at most")
            say("    \(scenario.promise)")
        }
    }
}

/// The arguments of `konza-lab`.
struct LabArguments {
    let verb: String
    private(set) var out = ".build/lab/results"
    private(set) var flags: Set<String> = []
    private var names: [String] = []
    private var extent: Scenario.Extent?
    private var place: Scenario.Place?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        verb = rest.popFirst() ?? "help"
        while let word = rest.popFirst() {
            switch word {
            case "--out": out = rest.popFirst() ?? out
            case "--names": flags.insert(word)
            case "--set":
                extent = rest.popFirst().flatMap(Scenario.Extent.init)
                guard extent != nil else { throw Complaint("cannot take --set: it is short, full or part") }
            case "--place":
                place = rest.popFirst().flatMap(Scenario.Place.init)
                guard place != nil else { throw Complaint("cannot take --place: it is guest, here or boots") }
            case _ where word.hasPrefix("-"): throw Complaint("cannot take the option \(word)")
            default: names.append(word)
            }
        }
    }

    /// The scenarios that the arguments name. A full set holds the short one; a part is only run by its whole name.
    func selected() throws -> [Scenario] {
        for name in names where !Scenario.all.contains(where: { Self.matches($0, name) }) {
            throw Complaint("cannot find the scenario \(name); konza-lab list shows them all")
        }
        return Scenario.all.filter { scenario in
            let isNamed = names.isEmpty || names.contains { Self.matches(scenario, $0) }
            return isNamed && (place == nil || place == scenario.place) && isInExtent(scenario)
        }
    }

    private static func matches(_ scenario: Scenario, _ name: String) -> Bool {
        scenario.name == name || scenario.extent != .part && scenario.name.hasPrefix("\(name)-")
    }

    private func isInExtent(_ scenario: Scenario) -> Bool {
        switch extent {
        case nil: scenario.extent != .part || names.contains(scenario.name)
        case .full: scenario.extent != .part
        default: scenario.extent == extent
        }
    }
}
