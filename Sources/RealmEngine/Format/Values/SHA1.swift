/// The SHA-1 hash, from which formats 20 and 21 compute the keys of objects (object format 1.13).
enum SHA1 {
    /// Returns the hash of `bytes` as five numbers of 32 bits.
    static func hash(_ bytes: ByteView) -> [UInt32] {
        var state: [UInt32] = [
            0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0,
        ]
        var schedule = [UInt32](repeating: 0, count: 80)
        // The padding is a one bit, zeros, and the number of bits in the last eight bytes.
        let blocks = (bytes.count + 8) / 64 + 1
        for block in 0..<blocks {
            for i in 0..<16 { schedule[i] = word(bytes, 64 * block + 4 * i, of: blocks) }
            for i in 16..<80 {
                let mixed = schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16]
                schedule[i] = rotate(mixed, 1)
            }
            update(&state, schedule)
        }
        return state
    }

    private static func word(_ bytes: ByteView, _ start: Int, of blocks: Int) -> UInt32 {
        let bits = UInt64(bytes.count) * 8
        if start == 64 * blocks - 8 { return UInt32(truncatingIfNeeded: bits >> 32) }
        if start == 64 * blocks - 4 { return UInt32(truncatingIfNeeded: bits) }
        var word: UInt32 = 0
        for i in start..<start + 4 {
            let byte = i < bytes.count ? bytes[i] : i == bytes.count ? 0x80 : 0
            word = word << 8 | UInt32(byte)
        }
        return word
    }

    private static func update(_ state: inout [UInt32], _ schedule: [UInt32]) {
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for i in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch i {
                case ..<20: (b & c | ~b & d, 0x5a82_7999)
                case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case ..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ schedule[i]
            (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
        }
        for (i, word) in [a, b, c, d, e].enumerated() { state[i] &+= word }
    }

    private static func rotate(_ word: UInt32, _ shift: UInt32) -> UInt32 {
        word << shift | word >> (32 - shift)
    }
}
