/// How a camera's picture is turned to be upright, and perhaps mirrored after that.
public struct PictureTurn: Hashable, Sendable {
    /// Clockwise, in degrees.
    public enum Rotation: Int, Sendable, CaseIterable {
        case none = 0
        case quarter = 90
        case half = 180
        case threeQuarters = 270
    }

    public var rotation: Rotation
    /// Left and right are exchanged once the picture is upright.
    public var isMirrored: Bool

    public init(_ rotation: Rotation = .none, isMirrored: Bool = false) {
        self.rotation = rotation
        self.isMirrored = isMirrored
    }

    /// The picture stays as it is.
    public static let none = PictureTurn()

    // Every turn is an exchange of rows for columns, or none, and then of left for right and of top for bottom.

    /// Whether rows become columns: width and height change places.
    public var transposes: Bool { rotation == .quarter || rotation == .threeQuarters }

    /// Whether left and right change places, after the transposition.
    public var flipsColumns: Bool { (rotation == .quarter || rotation == .half) != isMirrored }

    /// Whether top and bottom change places, after the transposition.
    public var flipsRows: Bool { rotation == .half || rotation == .threeQuarters }
}
