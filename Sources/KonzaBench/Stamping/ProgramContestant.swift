internal import Glibc
internal import JPEGCoding
internal import KonzaModel
internal import KonzaSystem

/// A program that one would otherwise start for each picture.
struct ProgramContestant: Contestant {
    let name: String
    let isInProcess = false
    private let program: String
    private let output: String
    private let arguments: (_ task: StampingTask, _ frame: String, _ overlay: String, _ output: String) -> [String]
    private static let patienceSeconds = 60.0

    func measure(_ task: StampingTask) throws -> Double? {
        guard task.files != nil else { return nil }
        return try milliseconds { _ = try run(task, watchesMemory: false) }
    }

    func result(_ task: StampingTask) throws -> ContestResult? {
        guard task.files != nil else { return nil }
        let peak = try run(task, watchesMemory: true)
        return ContestResult(picture: FrameData(try Files.read(output)), peakBytes: peak)
    }

    private func run(_ task: StampingTask, watchesMemory: Bool) throws -> Int64? {
        guard let files = task.files else { return nil }
        let log = "\(output).log"
        var child = try ChildProcess(program, arguments(task, files.frame, files.overlay, output), log: log)
        guard let ending = child.wait(seconds: Self.patienceSeconds, watchesMemory: watchesMemory) else {
            throw BenchError("cannot measure \(name): it ran longer than \(Self.patienceSeconds) s")
        }
        guard ending.status == 0 else {
            let said = (try? Files.text(log).prefix(300)) ?? ""
            throw BenchError("cannot measure \(name): it ended with status \(ending.status): \(said)")
        }
        return ending.peakBytes
    }

    /// Those that are installed, and the names of those that are not.
    static func installed(folder: String) -> (found: [any Contestant], missing: [String]) {
        var found: [any Contestant] = []
        var missing: [String] = []
        let output = "\(folder)/stamped.jpg"
        func add(
            _ name: String, _ programs: [String],
            _ arguments: @escaping (StampingTask, String, String, String) -> [String]
        ) {
            if let program = Files.program(programs) {
                found.append(
                    ProgramContestant(name: name, program: program, output: output, arguments: arguments))
            } else {
                missing.append(name)
            }
        }
        let quality = String(FrameStudio.quality)
        add("fswebcam, process", ["fswebcam"]) { task, frame, overlay, output in
            [
                "-q", "-d", "FILE:\(frame)", "-r", "\(task.kind.size)", "-S", "0", "-D", "0", "--no-banner",
                "--overlay", overlay, "--jpeg", quality, output,
            ]
        }
        add("ImageMagick, process", ["composite-im6.q16", "composite-im7.q16", "composite"]) {
            task, frame, overlay, output in
            [
                overlay, frame, "-sampling-factor", task.kind.isHalfHeight ? "2x2" : "2x1", "-quality", quality,
                output,
            ]
        }
        add("ffmpeg, process", ["ffmpeg"]) { task, frame, overlay, output in
            let format = task.kind.isHalfHeight ? "420" : "422"
            return [
                "-loglevel", "error", "-nostdin", "-y", "-i", frame, "-i", overlay, "-filter_complex",
                "overlay=format=auto", "-pix_fmt", "yuvj\(format)p", "-frames:v", "1", "-q:v", "2", output,
            ]
        }
        add("vips, process", ["vips"]) { _, frame, overlay, output in
            ["composite2", frame, overlay, "\(output)[Q=\(quality)]", "over"]
        }
        if let python = PillowContestant.python() {
            found.append(
                ProgramContestant(name: "Pillow, process", program: python, output: output) {
                    task, frame, overlay, output in
                    PillowContestant.arguments(task, frame, overlay, output) + ["once"]
                })
        } else {
            missing.append("Pillow")
        }
        return (found, missing)
    }
}

/// Pillow within a Python that has started and has loaded frame and overlay.
final class PillowContestant: Contestant {
    let name = "Pillow, in process"
    /// In Python's, not in the bench's.
    let isInProcess = false
    private let output: String
    /// One conversation for the whole task.
    private var interpreter: ChildProcessBox?

    init(folder: String) {
        output = "\(folder)/pillow.jpg"
    }

    /// A Python 3 with Pillow.
    static func python() -> String? {
        for name in ["/usr/bin/python3", Files.program(["python3"])].compactMap({ $0 }) where Files.isProgram(name) {
            guard var child = try? ChildProcess(name, ["-c", "import PIL.Image"]) else { continue }
            if child.wait(seconds: 20)?.status == 0 { return name }
        }
        return nil
    }

    static func arguments(_ task: StampingTask, _ frame: String, _ overlay: String, _ output: String) -> [String] {
        [
            "-c", script, frame, overlay, output, String(FrameStudio.quality), task.kind.subsamplingName,
        ]
    }

    func measure(_ task: StampingTask) throws -> Double? {
        guard task.files != nil else { return nil }
        guard let time = Double(try ask(task, "time")) else {
            throw BenchError("cannot measure Pillow: its answer is not a number")
        }
        return time
    }

    func result(_ task: StampingTask) throws -> ContestResult? {
        guard task.files != nil else { return nil }
        _ = try ask(task, "save")
        return ContestResult(
            picture: FrameData(try Files.read(output)),
            peakBytes: interpreter.flatMap { ProcessFigures.peakBytes(of: $0.child.id) })
    }

    private func ask(_ task: StampingTask, _ question: String) throws -> String {
        if interpreter == nil {
            guard let files = task.files, let python = Self.python() else { return "" }
            interpreter = ChildProcessBox(
                try ChildProcess(
                    python, Self.arguments(task, files.frame, files.overlay, output) + ["asked"],
                    conversation: .lines, log: "\(output).log"))
        }
        return try interpreter?.child.ask(question, seconds: 60) ?? ""
    }

    /// Only the part of the overlay that is inked is laid on, and the overlay is decoded once.
    private static let script = """
        import io, sys, time
        from PIL import Image
        frame, overlay, output, quality, sampling, mode = sys.argv[1:7]
        data = open(frame, "rb").read()
        ink = Image.open(overlay).convert("RGBA")
        box = ink.getbbox()
        ink = ink.crop(box)
        def stamp():
            picture = Image.open(io.BytesIO(data)).convert("RGB")
            picture.paste(ink, box[:2], ink)
            result = io.BytesIO()
            picture.save(result, "JPEG", quality=int(quality), subsampling=sampling)
            return result.getvalue()
        if mode == "once":
            open(output, "wb").write(stamp())
        else:
            for line in sys.stdin:
                start = time.thread_time()
                result = stamp()
                took = (time.thread_time() - start) * 1000
                if line.strip() == "save":
                    open(output, "wb").write(result)
                print(took, flush=True)
        """
}

/// Keeps a started program in a class.
private final class ChildProcessBox {
    let child: ChildProcess

    init(_ child: consuming ChildProcess) {
        self.child = child
    }
}
