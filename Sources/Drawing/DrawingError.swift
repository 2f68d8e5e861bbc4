/// Why a template could not be read or a picture could not be drawn.
public struct DrawingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    public enum Code: String, Sendable {
        /// A template's text is not what the format allows.
        case template
        /// No template has this name.
        case unknownTemplate
        /// A file or folder cannot be read.
        case file
        /// A font family that the template names is not installed.
        case font
        /// No installed font has a character of the text.
        case glyph
        /// The template asks for a value that is not known.
        case value
        /// A text does not fit where the template puts it, and the template says to refuse.
        case overflow
        /// The picture's size is out of range.
        case size
        /// The drawing library failed, as a rule for want of memory.
        case engine
    }

    public let code: Code
    /// One sentence for people: what cannot be done, why, and what to do about it.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
