/// What is drawn over a picture: a few rectangles of pixels, placed in a picture of a known size.
public struct Overlay: Sendable, Equatable {
    /// A rectangle of pixels. Patches of one overlay do not overlap.
    public struct Patch: Sendable, Equatable {
        /// The left and top edge in the picture, pixels; the patch lies wholly inside it.
        public let x: Int
        public let y: Int
        public let width: Int
        public let height: Int
        /// sRGB with alpha, premultiplied: R, G, B, A, one byte each, row after row without padding.
        public let pixels: [UInt8]

        public init(x: Int, y: Int, width: Int, height: Int, pixels: [UInt8]) {
            precondition(pixels.count == width * height * 4, "a patch has four bytes a pixel")
            self.x = x
            self.y = y
            self.width = width
            self.height = height
            self.pixels = pixels
        }
    }

    /// The size of the picture the overlay was drawn for, pixels.
    public let width: Int
    public let height: Int
    public let patches: [Patch]

    public init(width: Int, height: Int, patches: [Patch]) {
        for patch in patches {
            precondition(
                patch.x >= 0 && patch.y >= 0 && patch.x + patch.width <= width && patch.y + patch.height <= height,
                "a patch lies inside the picture")
        }
        self.width = width
        self.height = height
        self.patches = patches
    }
}

/// An uncompressed picture.
public struct RGBImage: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// sRGB: R, G, B, one byte each, row after row without padding.
    public var pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3, "an RGB image has three bytes a pixel")
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}
