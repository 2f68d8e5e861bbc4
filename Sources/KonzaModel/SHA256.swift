/// The secure hash of FIPS 180-4 section 6.2, fed piece by piece.
public struct SHA256: Sendable {
    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var pending: [UInt8] = []
    private var total: UInt64 = 0

    public init() {}

    /// Takes in the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        total &+= UInt64(bytes.count)
        var offset = 0
        if !pending.isEmpty {
            offset = min(64 - pending.count, bytes.count)
            unsafe pending.append(contentsOf: bytes[..<offset])
            guard pending.count == 64 else { return }
            let block = pending
            pending.removeAll(keepingCapacity: true)
            unsafe block.withUnsafeBytes { unsafe compress($0) }
        }
        let whole = (bytes.count - offset) / 64 * 64
        unsafe compress(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + whole]))
        unsafe pending.append(contentsOf: bytes[(offset + whole)...])
    }

    /// Takes in the next bytes.
    public mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    public consuming func hexadecimal() -> String { digest().hexadecimal }

    /// The digest, 32 bytes.
    public consuming func digest() -> [UInt8] {
        let bits = total &* 8
        var tail: [UInt8] = [0x80]
        while (pending.count + tail.count) % 64 != 56 { tail.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            tail.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        unsafe tail.withUnsafeBytes { unsafe update($0) }
        var bytes: [UInt8] = []
        for word in state {
            for shift in stride(from: UInt32(24), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    /// Takes in whole blocks of 64 bytes (section 6.2.2).
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { w in
            unsafe Self.constants.withUnsafeBufferPointer { k in
                for start in stride(from: 0, to: blocks.count, by: 64) {
                    for t in 0..<16 {
                        unsafe w[t] = UInt32(
                            bigEndian: blocks.loadUnaligned(fromByteOffset: start + t * 4, as: UInt32.self))
                    }
                    for t in 16..<64 {
                        let early = unsafe w[t - 15]
                        let late = unsafe w[t - 2]
                        let sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
                        let sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
                        unsafe w[t] = w[t - 16] &+ sigma0 &+ w[t - 7] &+ sigma1
                    }
                    unsafe mix(w, k)
                }
            }
        }
    }

    private mutating func mix(_ w: UnsafeMutableBufferPointer<UInt32>, _ k: UnsafeBufferPointer<UInt32>) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            let choice = (e & f) ^ (~e & g)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let first = unsafe h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ k[t] &+ w[t]
            let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }
}

private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    public var hexadecimal: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
