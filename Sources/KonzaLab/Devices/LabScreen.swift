internal import Foundation
internal import KonzaTesting

/// The screen of a ``LabMachine``, looked at from outside: the emulator takes the picture, and nothing in the machine knows.
public struct LabScreen: Sendable {
    /// The emulator's socket.
    private let monitor: String

    /// - Parameter folder: the machine's.
    init(of folder: String) { monitor = "\(folder)/monitor" }

    /// Takes a picture of what is shown.
    ///
    /// - Parameter path: the PNG file that is written.
    /// - Throws: ``Complaint`` with the emulator's words, if there is no picture.
    func takePicture(_ path: String) throws {
        // A longer path of a socket is cut by the kernel.
        guard monitor.utf8.count < 108 else {
            throw Complaint("cannot reach the emulator at \(monitor): the path is too long; move the tree")
        }
        let connection = try UnixConnection(path: monitor, seconds: 60)
        let name = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try connection.send(
            Array(
                """
                {"execute":"qmp_capabilities"}
                {"execute":"screendump","arguments":{"filename":"\(name)","format":"png"},"id":"picture"}

                """.utf8))
        var said = ""
        while Self.answer(in: said) == nil {
            let bytes = try connection.read()
            guard !bytes.isEmpty else { throw Complaint("the emulator ended the conversation: \(said)") }
            said += String(decoding: bytes, as: UTF8.self)
        }
        let answer = Self.answer(in: said) ?? ""
        guard !answer.contains("\"error\"") else { throw Complaint("the emulator took no picture: \(answer)") }
    }

    /// What can be read on a picture: what is dark, black on white, and what is light, black on white.
    ///
    /// - Parameter path: of the PNG file.
    /// - Returns: the words of all readings, with a blank between each two.
    /// - Throws: ``Complaint`` if ffmpeg or tesseract does not end well.
    static func words(on path: String) throws -> String {
        // Levels of grey: letters on a light button are below the first, letters on a dark ground above the second, whatever
        // picture is behind them.
        let readings = [("gte(val,60)", ["3", "11"]), ("lte(val,165)", ["6", "11"])]
        var texts: [String] = []
        for (rule, modes) in readings {
            let clear = path + ".clear.png"
            defer { try? FileManager.default.removeItem(atPath: clear) }
            try Program(
                "ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", path, "-vf",
                "scale=2*iw:-1:flags=lanczos,format=gray,lutyuv=y='255*\(rule)'", clear
            ).succeed(seconds: 120)
            // One block of text or scattered words: large letters around them confuse either.
            for mode in modes {
                texts.append(try Program("tesseract", clear, "-", "--psm", mode).succeed(seconds: 120).text)
            }
        }
        return texts.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The whole line that answers the question for a picture. The lines end with CR and LF, which are one `Character`.
    private static func answer(in said: String) -> String? {
        said.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropLast()
            .first { $0.contains("\"id\": \"picture\"") || $0.contains("\"id\":\"picture\"") }.map(String.init)
    }
}
