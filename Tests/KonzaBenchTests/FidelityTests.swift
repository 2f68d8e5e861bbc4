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

    @Test(
        "An engine that keeps all other blocks is equal outside, one that compresses all again is not",
        arguments: [false, true])
    func engines(isHalfHeight: Bool) throws {
        let kind = FrameKind(size: PixelSize(width: 160, height: 128), isHalfHeight: isHalfHeight, hasRestarts: true)
        var studio = FrameStudio()
        let overlay = overlay(kind)
        let task = StampingTask(kind: kind, frame: try studio.frame(kind), overlay: overlay, files: nil)
        let fidelity = try Fidelity(frame: task.frame, kind: kind, overlay: overlay)

        let kept = try #require(try EngineContestant.all(overlay: overlay)[0].result(task))
        let verdict = try fidelity.judge(kept.picture)
        #expect(verdict.outside == .infinity)
        #expect(try #require(verdict.inside) > 30)

        let again = try #require(try LibraryContestant(overlay: overlay).result(task))
        let other = try fidelity.judge(again.picture)
        #expect(try #require(other.outside).isFinite)
        #expect(try #require(other.outside) > 40)
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
