/// Up to 16 bytes of text, looked at in one step: how strings are scanned for the few bytes that
/// need attention without reading past their end.
struct ByteChunk {
    typealias Mask = SIMDMask<SIMD16<Int8>>

    /// Unused places hold spaces.
    let bytes: SIMD16<UInt8>

    /// Loads `count` bytes, 16 at most.
    @inline(__always)
    init(_ base: UnsafeRawPointer, count: Int) {
        bytes =
            count >= 16
            ? base.loadUnaligned(as: SIMD16<UInt8>.self)
            : ByteChunk.loadTail(base, count)
    }

    @inline(__always)
    func store(to out: UnsafeMutableRawPointer) {
        out.storeBytes(of: bytes, as: SIMD16<UInt8>.self)
    }

    /// Position of the first marked byte, 16 if there is none.
    @inline(__always)
    static func first(_ mask: Mask) -> Int {
        let words = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        if words.x != 0 { return words.x.trailingZeroBitCount >> 3 }
        return 8 &+ words.y.trailingZeroBitCount >> 3
    }

    @inline(__always)
    func matches(_ byte: UInt8) -> Mask { bytes .== byte }

    /// Fewer than 16 bytes, by overlapping loads that stay inside them.
    @inline(__always)
    private static func loadTail(_ base: UnsafeRawPointer, _ count: Int) -> SIMD16<UInt8> {
        let blanks: UInt64 = 0x2020_2020_2020_2020
        var words = SIMD2<UInt64>(repeating: blanks)
        if count >= 8 {
            words.x = base.loadUnaligned(as: UInt64.self)
            if count > 8 {
                let last = base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                let used = UInt64(count &- 8) &* 8
                words.y = last &>> (64 &- used) | blanks &<< used
            }
        } else if count > 0 {
            words.x = loadShort(base, count) | blanks &<< (UInt64(count) &* 8)
        }
        return unsafeBitCast(words, to: SIMD16<UInt8>.self)
    }

    /// One to seven bytes in the low end of a word.
    @inline(__always)
    private static func loadShort(_ base: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 4 {
            let first = UInt64(base.loadUnaligned(as: UInt32.self))
            let last = UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            return first | last &<< (UInt64(count &- 4) &* 8)
        }
        let middle = count >> 1
        let first = UInt64(base.load(as: UInt8.self))
        let second = UInt64(base.load(fromByteOffset: middle, as: UInt8.self))
        let last = UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
        return first | second &<< (UInt64(middle) &* 8) | last &<< (UInt64(count &- 1) &* 8)
    }
}
