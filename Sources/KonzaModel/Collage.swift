/// A rectangle of a picture's pixels.
public struct PixelArea: Hashable, Sendable {
    /// The left and top edge.
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

/// How the pictures of a collage lie beside each other.
public enum CollageLayout: String, Sendable, Codable, CaseIterable {
    /// Two rows of two; of three pictures, a large one and two small ones beside it.
    case grid
    /// All in one row or column, whichever shows more of them.
    case strip
}

/// What a collage's card looks like without its pictures and its lettering.
public struct CollageStyle: Hashable, Sendable {
    /// sRGB, 8 bits each.
    public struct Colour: Hashable, Sendable {
        public var red: UInt8
        public var green: UInt8
        public var blue: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    public var paper: Colour
    /// Of the lines around the pictures.
    public var line: Colour
    /// Where the pictures lie.
    public var area: PixelArea

    public init(paper: Colour, line: Colour, area: PixelArea) {
        self.paper = paper
        self.line = line
        self.area = area
    }
}

/// When one picture of a collage was taken.
public struct ExposedShot: Sendable, Equatable {
    /// When it was asked for, or its countdown ended.
    public var requestedAt: UTCInstant
    /// When the camera took it; never before `requestedAt`.
    public var exposedAt: UTCInstant

    public init(requestedAt: UTCInstant, exposedAt: UTCInstant) {
        self.requestedAt = requestedAt
        self.exposedAt = exposedAt
    }
}
