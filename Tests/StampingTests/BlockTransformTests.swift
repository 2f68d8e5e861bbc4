import Testing

@testable import Stamping

@Suite struct BlockTransformTests {
    @Test(arguments: [-1024, -517, -3, 0, 1, 255, 1023])
    func `a block with a DC coefficient alone is what the transform makes of it, to the bit`(level: Int) {
        for step in [1, 3, 17, 255] {
            var block = Block.zero
            block.rows.0[0] = Float(level) * Float(step)
            let short = Block(level: block.rows.0[0])
            block.inverselyTransform()
            for row in 0..<8 { #expect(short[row] == block[row]) }
        }
    }
}
