internal import Drawing
internal import KonzaModel
internal import KonzaSystem
internal import Stamping

/// The first postcard of a process: nothing is drawn, no font is open, no table made. Each measurement is a process of
/// its own, which measures itself: its start is not counted, nor the reading of templates.
struct FirstStamp: Contestant {
    static let name: String = "konzad, first postcard of a process, drawing included"
    /// The first argument of such a process.
    static let command: String = "first-stamp"
    private static let patienceSeconds = 60.0

    let name: String = FirstStamp.name
    let givesPicture = false
    let isInProcess = false
    let template: String
    /// Where the frame and the process's words go.
    let folder: String

    func measure(_ task: StampingTask) throws -> Double? {
        let (frame, log) = ("\(folder)/first.jpg", "\(folder)/first.log")
        try Files.write(task.frame.array, to: frame)
        var child = try ChildProcess(Files.ownPath(), [Self.command, frame, template], log: log)
        let ending = child.wait(seconds: Self.patienceSeconds)
        let said = try Files.text(log)
        guard ending?.status == 0, let line = said.split(separator: "\n").last, let time = Double(line) else {
            throw BenchError("cannot measure \(name): \(said.suffix(300))")
        }
        return time
    }

    func result(_ task: StampingTask) throws -> ContestResult? { nil }

    /// Stamps once and says how many milliseconds of the processor it took.
    ///
    /// - Parameter arguments: The frame's file and the template's name.
    /// - Returns: the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            guard arguments.count == 2 else { return 64 }
            let frame = FrameData(try Files.read(arguments[0]))
            let library = TemplateLibrary(folders: ["\(try Files.dataFolder())/templates"])
            let template = try library.template(named: arguments[1])
            let size = StampingCase.usual
            let time = try processorMilliseconds {
                let overlay = try PostcardArtist().overlay(
                    template: template, width: size.width, height: size.height, facts: OverlayStudio.facts())
                _ = try StampingLadder().stamp(frame, with: PreparedOverlay(overlay))
            }
            try writeAll(Array("\(time)\n".utf8), to: 1)
            return 0
        } catch {
            try? writeAll(Array("\(error)\n".utf8), to: 2)
            return 1
        }
    }
}
