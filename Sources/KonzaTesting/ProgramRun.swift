public import FoundationEssentials
internal import Glibc
internal import KonzaSystem

/// A program that was run to its end: how it ended, and what it wrote.
///
/// It is started by posix_spawn(3), as Foundation's `Process` reads past the last entry of `/proc/self/fd`: with some 1360
/// descriptors open, those are a buffer's worth, and where that lies at the end of the heap the reading process crashes (Swift
/// 6.3, swift-corelibs-foundation, `findMaximumOpenFromProcSelfFD`).
public struct ProgramRun: Sendable {
    /// The exit status; 128 and the signal's number for one that a signal ended, such as 137 at its limit.
    public let status: Int32
    /// Its standard output.
    public let output: Data
    /// Its standard error.
    public let errors: String

    /// Its standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs a program to its end; its input and output are files without a name, so that neither waits for the other.
    ///
    /// - Parameters:
    ///   - program: its path, or its name where PATH finds it.
    ///   - arguments: what follows its name.
    ///   - input: what it reads.
    ///   - errorsInOutput: whether its errors go where its output does, in their order.
    ///   - folder: where it runs; nil for this process's own.
    ///   - environment: variables beside those of this process.
    ///   - seconds: it is killed after so long.
    /// - Throws: ``SetUpError`` if it cannot be run.
    public init(
        _ program: String, _ arguments: [String] = [], input: Data = Data(), errorsInOutput: Bool = false,
        in folder: String? = nil, environment: [String: String] = [:], seconds: Double = 600
    ) throws(SetUpError) {
        let source = try UnnamedFile()
        try source.write(input)
        let sink = try UnnamedFile()
        let complaints = try UnnamedFile()
        // env(1) finds it, and has it run there.
        let place = folder.map { ["-C", $0] } ?? []
        let isPath = folder == nil && program.hasPrefix("/")
        let child = try ChildProcess(
            isPath ? program : "/usr/bin/env", isPath ? arguments : place + [program] + arguments,
            environment: environment,
            streams: ChildProcess.Streams(
                input: source.number, output: sink.number, errors: errorsInOutput ? sink.number : complaints.number))
        let ending = child.waitForEnd(seconds: seconds)
        if ending == nil { child.signal(SIGKILL) }
        status = exitStatus(of: ending ?? child.waitForEnd())
        output = try sink.contents()
        errors = try String(decoding: complaints.contents(), as: UTF8.self)
    }
}

/// A file that only this process and whom it gives it to can reach, in memory.
private struct UnnamedFile: ~Copyable {
    private let descriptor: FileDescriptor

    init() throws(SetUpError) {
        var template = Array("/dev/shm/konza-run-XXXXXX".utf8CString)
        let number = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        guard number >= 0 else { throw SetUpError("make a file in /dev/shm") }
        descriptor = FileDescriptor(owning: number)
        unsafe unlink(template)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    var number: Int32 { descriptor.number }

    /// Puts bytes there, to be read from their first.
    func write(_ bytes: Data) throws(SetUpError) {
        do throws(SystemError) {
            try writeAll(Array(bytes), to: number)
        } catch {
            throw SetUpError(message: "\(error)")
        }
        guard lseek(number, 0, SEEK_SET) == 0 else { throw SetUpError("rewind what a program is to read") }
    }

    /// All that was written.
    func contents() throws(SetUpError) -> Data {
        // By its first byte, wherever the program's own reading and writing stands.
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/fd/\(number)") else {
            throw SetUpError("read what a program wrote")
        }
        return bytes
    }
}
