internal import JPEGCoding

/// How a JPEG's components make up colour, each as a linear function of the overlay's premultiplied R, G, B and
/// alpha (bytes), centred as the DCT has it: 128 is 0.
enum ColourModel: Hashable, Sendable {
    case grey
    /// JFIF: ITU-R BT.601 at full range.
    case yCbCr
    case rgb
    /// Adobe's inks, stored inverted, as far as the Adobe segment is there.
    case cmyk(inverted: Bool)
    /// Inverted CMYK with C, M, Y turned into YCbCr.
    case ycck

    /// The model as libjpeg takes it to be (jdapimin.c, default_decompress_parms); nil for what no reader knows.
    init?(_ structure: JPEGStructure) {
        switch structure.components.count {
        case 1: self = .grey
        case 3:
            let identifiers = structure.components.map(\.identifier)
            if structure.hasJFIF {
                self = .yCbCr
            } else if let transform = structure.adobeTransform {
                self = transform == 0 ? .rgb : .yCbCr
            } else {
                self = identifiers == Array("RGB".utf8) ? .rgb : .yCbCr
            }
        case 4:
            switch structure.adobeTransform {
            case 2: self = .ycck
            case .some: self = .cmyk(inverted: true)
            case nil: self = .cmyk(inverted: false)
            }
        default: return nil
        }
    }

    /// Factors of R, G, B, A for a component.
    func factors(component: Int) -> SIMD4<Float> {
        let half: Float = 128.0 / 255
        let luma = SIMD4<Float>(0.299, 0.587, 0.114, -half)
        let blue = SIMD4<Float>(-0.168735892, -0.331264108, 0.5, 0)
        let red = SIMD4<Float>(0.5, -0.418687589, -0.081312411, 0)
        let direct: [SIMD4<Float>] = [.init(1, 0, 0, -half), .init(0, 1, 0, -half), .init(0, 0, 1, -half)]
        // 255 - v, centred, is 127 - v.
        let full = SIMD4<Float>(0, 0, 0, 127.0 / 255)
        let none = SIMD4<Float>(0, 0, 0, -half)
        switch self {
        case .grey: return luma
        case .yCbCr: return [luma, blue, red][component]
        case .rgb: return direct[component]
        case .cmyk(inverted: true): return component == 3 ? full : direct[component]
        case .cmyk(inverted: false):
            return component == 3 ? none : SIMD4(0, 0, 0, (127.0 - 128) / 255) - direct[component]
        case .ycck:
            switch component {
            case 0: return SIMD4(0, 0, 0, (127.0 - 128) / 255) - luma
            case 1: return -blue
            case 2: return -red
            default: return full
            }
        }
    }
}
