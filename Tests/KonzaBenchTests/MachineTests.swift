import Foundation
import Testing

@testable import KonzaBench

@Suite("The bench's tools") struct MachineTests {
    @Test("A program's exit status is seen, and a signal's number beside 128")
    func endings() throws {
        var good = try ChildProcess("/bin/sh", ["-c", "exit 3"])
        #expect(good.wait(seconds: 10)?.status == 3)
        var killed = try ChildProcess("/bin/sh", ["-c", "kill -9 $$"])
        #expect(killed.wait(seconds: 10)?.status == 137)
    }

    @Test("A program that does not end in time is still there, and is stopped")
    func stopping() throws {
        var child = try ChildProcess("/bin/sleep", ["600"])
        #expect(child.wait(seconds: 0.05)?.status == nil)
        #expect(child.stop()?.status == 143)
        #expect(kill(child.id, 0) == -1)
    }

    @Test("A program ends when its owner lets go of it")
    func release() throws {
        func start() throws -> pid_t {
            let child = try ChildProcess("/bin/sleep", ["600"])
            return child.id
        }
        #expect(kill(try start(), 0) == -1)
    }

    @Test("A conversation goes line by line")
    func conversation() throws {
        let child = try ChildProcess("/bin/cat", [], conversation: .lines)
        #expect(try child.ask("one", seconds: 10) == "one")
        #expect(try child.ask("two words", seconds: 10) == "two words")
    }

    @Test("The memory that a program had is its own, not the bench's")
    func memory() throws {
        let ballast = [UInt8](repeating: 1, count: 200 << 20)
        var child = try ChildProcess("/bin/sleep", ["0.2"])
        let peak = try #require(child.wait(seconds: 10, watchesMemory: true)?.peakBytes)
        #expect(peak > 100_000 && peak < 50 << 20)
        #expect(ballast.last == 1)
    }

    @Test("A program that is not there cannot be started")
    func missing() {
        #expect(throws: (any Error).self) { try ChildProcess("/nonexistent/program", []).id }
        #expect(Files.program(["no-such-program-anywhere"]) == nil)
    }

    @Test("A temporary folder goes away with all that is in it")
    func folder() throws {
        var path = ""
        do {
            let folder = try TemporaryFolder(in: NSTemporaryDirectory())
            path = folder.path
            try Files.makeParent(of: "\(path)/a/b/file")
            try Files.write([1, 2], to: "\(path)/a/b/file")
            #expect(try Files.read("\(path)/a/b/file") == [1, 2])
            #expect(try Files.size("\(path)/a/b/file") == 2)
        }
        #expect(!Files.isFolder(path))
    }

    @Test("What the kernel says of a process is read, whatever the process is called")
    func figures() throws {
        let status = "Name:\tx\nVmHWM:\t    9000 kB\nVmRSS:\t    1234 kB\nRssAnon:\t     100 kB\nThreads:\t7\n"
        let times = "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 7 0 1 2 3"
        let figures = try ProcessFigures(status: status, times: times, ticksPerSecond: 100)
        #expect(figures.residentBytes == 1234 * 1024)
        #expect(figures.anonymousBytes == 100 * 1024)
        #expect(figures.threads == 7)
        #expect(figures.processorSeconds == 3)
        #expect(try ProcessFigures(of: getpid()).residentBytes > 1 << 20)
        #expect(throws: (any Error).self) { try ProcessFigures(status: "", times: "", ticksPerSecond: 100) }
    }

    @Test("A program's symbols and libraries are read from its file")
    func elf() throws {
        let own = try #require(ELFFile(try Files.read("/proc/self/exe")))
        #expect(own.libraries.contains { $0.hasPrefix("libc.so") })
        let shell = try #require(ELFFile(try Files.read("/bin/sh")))
        #expect(!shell.hasSymbols)
        #expect(shell.libraries.contains("libc.so.6"))
    }

    @Test("A file that is no program, or a part of one, is refused and does no harm")
    func notELF() throws {
        #expect(ELFFile([]) == nil)
        #expect(ELFFile([UInt8](repeating: 0xFF, count: 4096)) == nil)
        let shell = try Files.read("/bin/sh")
        #expect(ELFFile(Array(shell.prefix(2000))) == nil)
        var spoiled = shell
        for at in 0x28..<0x40 { spoiled[at] = 0xFF }
        #expect(ELFFile(spoiled) == nil)
    }
}

@Suite("The bench's clients") struct ClientTests {
    @Test("A reply's head gives its status, its length and where it ends")
    func head() throws {
        let bytes = Array("HTTP/1.1 201 Created\r\nDate: x\r\ncontent-LENGTH:  12 \r\n\r\nbody".utf8)
        let head = try #require(try HTTPHead(bytes, filled: bytes.count))
        #expect(head.status == 201)
        #expect(head.contentLength == 12)
        #expect(head.byteCount == bytes.count - 4)
    }

    @Test("A head is not read before it is whole")
    func partial() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        for filled in 0..<bytes.count { #expect(try HTTPHead(bytes, filled: filled) == nil) }
        #expect(try HTTPHead(bytes, filled: bytes.count)?.contentLength == 0)
    }

    @Test("A reply without a length says so, and a header that only begins alike does not count")
    func noLength() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length-Of-It: 5\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        let head = try #require(try HTTPHead(bytes, filled: bytes.count))
        #expect(head.contentLength == nil)
    }

    @Test(
        "What is not HTTP/1.1, or has no sound length, is refused",
        arguments: [
            "HTTP/1.0 200 OK\r\n\r\n", "hello\r\n\r\n", "HTTP/1.1 xyz Ok\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        ])
    func refused(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: (any Error).self) { try HTTPHead(bytes, filled: bytes.count) }
    }

    @Test("Pictures are counted however the stream is cut")
    func pictures() {
        // Two pictures; FF FF D8 FF is one with a fill byte before it, FF D8 00 is none.
        let stream: [UInt8] = [1, 0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xD8, 0, 0xFF, 0xFF, 0xD8, 0xFF]
        for cut in 0...stream.count {
            var finder = PictureFinder()
            #expect(finder.count(stream[..<cut]) + finder.count(stream[cut...]) == 2)
        }
    }

    // The example of the checksum in the gpsd project's "NMEA Revealed".
    @Test("An NMEA sentence ends with its checksum")
    func checksum() {
        #expect(
            nmeaSentence("GPGLL,5057.970,N,00146.110,E,142451,A") == "$GPGLL,5057.970,N,00146.110,E,142451,A*27\r\n")
    }

    @Test("Asking goes on for its time on each connection, and counts each answer")
    func load() async throws {
        let figures = try await Load.run(connections: 2, seconds: 0.1) { { usleep(1000) } }
        #expect(figures.latency.count > 0)
        #expect(figures.latency.minimum >= 1)
        #expect(figures.perSecond == Double(figures.latency.count) / 0.1)
    }

    @Test("A wrong answer ends the asking")
    func wrong() async {
        await #expect(throws: (any Error).self) {
            _ = try await Load.run(connections: 1, seconds: 5) { { throw BenchError("cannot answer") } }
        }
    }
}

@Suite("Arguments") struct ArgumentTests {
    @Test("Without arguments all parts are measured")
    func all() throws {
        let options = try BenchOptions([])
        #expect(
            options.parts == [
                .stamping, .turning, .service, .archive, .position, .terrain, .trails, .binaries, .portal,
            ])
        #expect(options.wants(template: "any") && options.wants(size: "1x1"))
    }

    @Test("Parts, templates and sizes can be named")
    func named() throws {
        let options = try BenchOptions(
            ["binaries", "stamping", "--template", "band", "--size", "640x480", "--json", "x", "--no-programs"])
        #expect(options.parts == [.binaries, .stamping])
        #expect(options.wants(template: "band") && !options.wants(template: "frame"))
        #expect(options.wants(size: "640x480") && !options.wants(size: "1920x1080"))
        #expect(options.document == "x")
        #expect(!options.runsPrograms)
    }

    @Test("A quick run is of the usual size, unless others are named")
    func quick() throws {
        let quick = try BenchOptions(["--quick", "--photograph", "p.jpg", "--no-counting"])
        #expect(quick.wants(size: "1920x1080") && !quick.wants(size: "640x480"))
        #expect(quick.photograph == "p.jpg" && !quick.countsInstructions)
        #expect(try BenchOptions(["--quick", "--size", "640x480"]).wants(size: "640x480"))
    }

    @Test("What it does not know is refused", arguments: [["nonsense"], ["--size"], ["--what"]])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try BenchOptions(arguments) }
    }
}
