/// The hash under which formats 21 and 22 store the entries of a dictionary: the first version of
/// CityHash64.
enum DictionaryHash {
    private static let k0: UInt64 = 0xc3a5_c85c_97cb_3127
    private static let k1: UInt64 = 0xb492_b66f_be98_f273
    private static let k2: UInt64 = 0x9ae1_6a3b_2f90_404f
    private static let k3: UInt64 = 0xc949_d7c7_509e_6557
    private static let mixer: UInt64 = 0x9ddf_ea08_eb38_2d69

    private typealias Pair = (low: UInt64, high: UInt64)

    static func hash(_ text: ByteView) -> UInt64 {
        switch text.count {
        case ...16: short(text)
        case ...32: medium(text)
        case ...64: long(text)
        default: chunks(text)
        }
    }

    @inline(__always)
    private static func word(_ text: ByteView, _ i: Int) -> UInt64 {
        UInt64(littleEndian: text.base.loadUnaligned(fromByteOffset: i, as: UInt64.self))
    }

    @inline(__always)
    private static func half(_ text: ByteView, _ i: Int) -> UInt32 {
        UInt32(littleEndian: text.base.loadUnaligned(fromByteOffset: i, as: UInt32.self))
    }

    private static func rotate(_ value: UInt64, _ shift: Int) -> UInt64 {
        value >> UInt64(shift) | value << UInt64(64 - shift)
    }

    private static func fold(_ value: UInt64) -> UInt64 { value ^ value >> 47 }

    private static func mix(_ u: UInt64, _ v: UInt64) -> UInt64 {
        let a = fold((u ^ v) &* mixer)
        return fold((v ^ a) &* mixer) &* mixer
    }

    private static func short(_ text: ByteView) -> UInt64 {
        let count = text.count
        let length = UInt64(count)
        if count > 8 {
            let (a, b) = (word(text, 0), word(text, count - 8))
            return mix(a, rotate(b &+ length, count)) ^ b
        }
        if count >= 4 {
            // The shift loses the upper bits, as it does in the programs that wrote these formats.
            return mix(length &+ UInt64(half(text, 0) << 3), UInt64(half(text, count - 4)))
        }
        if count == 0 { return k2 }
        let y = UInt64(text[0]) + UInt64(text[count >> 1]) << 8
        let z = length + UInt64(text[count - 1]) << 2
        return fold(y &* k2 ^ z &* k3) &* k2
    }

    private static func medium(_ text: ByteView) -> UInt64 {
        let (count, length) = (text.count, UInt64(text.count))
        let a = word(text, 0) &* k1
        let b = word(text, 8)
        let c = word(text, count - 8) &* k2
        let d = word(text, count - 16) &* k0
        return mix(
            rotate(a &- b, 43) &+ rotate(c, 30) &+ d, a &+ rotate(b ^ k3, 20) &- c &+ length)
    }

    private static func long(_ text: ByteView) -> UInt64 {
        let count = text.count
        let start = word(text, 0) &+ (UInt64(count) &+ word(text, count - 16)) &* k0
        let v = quarter(text, 0, start, word(text, 24))
        let z = word(text, 24) &+ word(text, count - 8)
        let end = word(text, 16) &+ word(text, count - 32)
        let w = quarter(text, count - 32, end, z)
        let r = fold((v.low &+ w.high) &* k2 &+ (w.low &+ v.high) &* k0)
        return fold(r &* k0 &+ v.high) &* k2
    }

    /// Step of CityHash64: combines `start`, `z` and two words of eight bytes, which begin 8 and 16
    /// bytes after offset `i`.
    private static func quarter(
        _ text: ByteView, _ i: Int, _ start: UInt64, _ z: UInt64
    ) -> Pair {
        let b = rotate(start &+ z, 52)
        let second = start &+ word(text, i + 8)
        let third = second &+ word(text, i + 16)
        let c = rotate(start, 37) &+ rotate(second, 7)
        return (third &+ z, b &+ rotate(third, 31) &+ c)
    }

    private static func chunks(_ text: ByteView) -> UInt64 {
        let (count, length) = (text.count, UInt64(text.count))
        var x = word(text, count - 40)
        var y = word(text, count - 16) &+ word(text, count - 56)
        var z = mix(word(text, count - 48) &+ length, word(text, count - 24))
        var v = seeded(text, count - 64, length, z)
        var w = seeded(text, count - 32, y &+ k1, x)
        x = x &* k1 &+ word(text, 0)
        for i in stride(from: 0, to: (count - 1) & ~63, by: 64) {
            x = rotate(x &+ y &+ v.low &+ word(text, i + 8), 37) &* k1
            y = rotate(y &+ v.high &+ word(text, i + 48), 42) &* k1
            x ^= w.high
            y = y &+ v.low &+ word(text, i + 40)
            z = rotate(z &+ w.low, 33) &* k1
            v = seeded(text, i, v.high &* k1, x &+ w.low)
            w = seeded(text, i + 32, z &+ w.high, y &+ word(text, i + 16))
            swap(&z, &x)
        }
        return mix(mix(v.low, w.low) &+ fold(y) &* k1 &+ z, mix(v.high, w.high) &+ x)
    }

    /// Step of CityHash64: combines the four words of eight bytes at offset `i` with two seeds.
    private static func seeded(
        _ text: ByteView, _ i: Int, _ first: UInt64, _ second: UInt64
    ) -> Pair {
        let a = first &+ word(text, i)
        let last = word(text, i + 24)
        let b = rotate(second &+ a &+ last, 21)
        let sum = a &+ word(text, i + 8) &+ word(text, i + 16)
        return (sum &+ last, b &+ rotate(sum, 44) &+ a)
    }
}
