import KonzaModel
import Stamping
import Testing

@testable import KonzaBench

@Suite("Fidelity") struct FidelityTests {
    private func overlay(_ kind: FrameKind) -> Overlay {
        let ink = [UInt8](repeating: 255, count: 32 * 16 * 4)
        return Overlay(
            width: kind.size.width, height: kind.size.height,
            patches: [.init(x: 32, y: 48, width: 32, height: 16, pixels: ink)])
    }

    @Test("A frame that was not stamped is equal outside, and far from the drawing inside")
    func unstamped() throws {
        let kind = FrameKind(size: PixelSize(width: 160, height: 128), isHalfHeight: false, hasRestarts: false)
        var studio = FrameStudio()
        let frame = try studio.frame(kind)
        let verdict = try Fidelity(frame: frame, kind: kind, overlay: overlay(kind)).judge(frame)
        #expect(verdict.outside == .infinity)
        #expect(try #require(verdict.inside) < 20)
    }

    @Test("The same kind of frame is always the same")
    func repeatable() throws {
        let kind = FrameKind(size: PixelSize(width: 96, height: 64), isHalfHeight: true, hasRestarts: false)
        var first = FrameStudio()
        var second = FrameStudio()
        #expect(try first.frame(kind).array == second.frame(kind).array)
    }
}
