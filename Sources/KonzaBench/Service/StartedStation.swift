internal import FoundationEssentials
internal import Glibc
internal import KonzaAPI
internal import KonzaSystem

/// The real `konzad`, with recorded sources and a folder of its own.
final class StartedStation {
    /// From its start to the first answer, milliseconds.
    let readyMilliseconds: Double
    let socket: String
    let state: String
    private var child: ChildProcess
    private static let patienceSeconds = 20.0

    /// Starts `konzad` and waits until it answers.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - folder: An empty folder, on the disk that postcards are to be kept on.
    ///   - width: Of the camera's pictures.
    ///   - height: Likewise.
    /// - Throws: if it ends, or does not answer in time, with its last words.
    init(_ program: String, folder: String, width: Int = 1920, height: Int = 1080) throws {
        socket = "\(folder)/konza.sock"
        state = "\(folder)/state"
        let configuration = "\(folder)/konzad.conf"
        let log = "\(folder)/konzad.log"
        try Files.write(Array(Self.configuration(state: state, socket: socket, width, height).utf8), to: configuration)
        let start = steadySeconds()
        child = try ChildProcess(program, ["--config", configuration], log: log)
        let request = UnixHTTPConnection.request("GET", "/v1")
        while (try? UnixHTTPConnection(socket).exchange(request).status) != 200 {
            if let ending = child.wait(seconds: 0) {
                throw BenchError(
                    "cannot start \(program): it ended with status \(ending.status): \(Self.tail(log))")
            }
            guard steadySeconds() - start < Self.patienceSeconds else {
                throw BenchError(
                    "cannot start \(program): no answer in \(Self.patienceSeconds) s: \(Self.tail(log))")
            }
            usleep(500)
        }
        readyMilliseconds = (steadySeconds() - start) * 1000
    }

    var figures: ProcessFigures {
        get throws { try ProcessFigures(of: child.id) }
    }

    /// Stops it, and says how long that took in milliseconds.
    func stop() throws -> Double {
        let start = steadySeconds()
        guard let ending = child.stop(graceSeconds: 10) else {
            throw BenchError("cannot stop konzad: not even SIGKILL ends it")
        }
        guard ending.status == 0 else {
            throw BenchError("cannot stop konzad cleanly: at SIGTERM it ended with status \(ending.status)")
        }
        return (steadySeconds() - start) * 1000
    }

    func isCameraStreaming() throws -> Bool {
        let connection = try UnixHTTPConnection(socket)
        guard try connection.exchange(UnixHTTPConnection.request("GET", "/v1/camera")).status == 200,
            case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: Data(connection.body)),
            case .bool(let isStreaming) = members["streaming"]
        else { throw BenchError("cannot learn whether the camera streams: GET /v1/camera does not say") }
        return isStreaming
    }

    /// Waits until the camera has stopped for want of a viewer.
    func waitForRest(seconds: Double) throws {
        let deadline = steadySeconds() + seconds
        while try isCameraStreaming() {
            guard steadySeconds() < deadline else {
                throw BenchError("cannot measure konzad at rest: the camera still streams after \(seconds) s")
            }
            usleep(200_000)
        }
    }

    private static func configuration(state: String, socket: String, _ width: Int, _ height: Int) -> String {
        """
        [General]
        State=\(state)
        Socket=\(socket)
        [Position]
        Source=recorded
        [Camera]
        Source=recorded
        Width=\(width)
        Height=\(height)
        FrameRate=30
        IdleAfter=2s

        """
    }

    private static func tail(_ log: String) -> String {
        ((try? Files.text(log)) ?? "").split(separator: "\n").suffix(3).joined(separator: "; ")
    }
}
