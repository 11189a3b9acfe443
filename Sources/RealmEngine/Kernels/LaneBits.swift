#if arch(x86_64) && !PORTABLE
    import _Builtin_intrinsics.intel
#endif

/// Converts results of comparisons to bits, from which a `Selection` is made. The lowest bit
/// belongs to the first lane or row.
enum LaneBits {
    /// Returns a bit for each of the first `n` rows, at most 64: whether `test` is true.
    ///
    /// Each step doubles the bits collected so far and adds the result of a test. The compiler
    /// turns this into an addition with carry. The bits are then in reverse order, so they are
    /// reversed in the end.
    @inline(__always)
    static func of(_ n: Int, _ test: (Int) -> Bool) -> UInt64 {
        var bits: UInt64 = 0
        var i = 0
        while i < n {
            bits = bits &+ bits &+ (test(i) ? 1 : 0)
            i &+= 1
        }
        return reversed(bits, n)
    }

    /// Returns the lowest `n` bits, at most 64, in reverse order.
    @inline(__always)
    static func reversed(_ bits: UInt64, _ n: Int) -> UInt64 {
        if n <= 0 { return 0 }
        var x = bits.byteSwapped
        x = x &>> 4 & 0x0F0F_0F0F_0F0F_0F0F | (x & 0x0F0F_0F0F_0F0F_0F0F) &<< 4
        x = x &>> 2 & 0x3333_3333_3333_3333 | (x & 0x3333_3333_3333_3333) &<< 2
        x = x &>> 1 & 0x5555_5555_5555_5555 | (x & 0x5555_5555_5555_5555) &<< 1
        return x &>> UInt64(64 &- n)
    }

    @inline(__always)
    static func of(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
        #if arch(x86_64) && !PORTABLE
            let lanes = unsafeBitCast(mask, to: __m128i.self)
            return UInt64(UInt32(bitPattern: _mm_movemask_epi8(lanes)))
        #else
            var bits: UInt64 = 0
            for i in 0..<16 where mask[i] { bits |= 1 << UInt64(i) }
            return bits
        #endif
    }

    /// Returns 16 bits from the results of two comparisons of eight lanes.
    @inline(__always)
    static func of(_ a: SIMDMask<SIMD8<Int16>>, _ b: SIMDMask<SIMD8<Int16>>) -> UInt64 {
        #if arch(x86_64) && !PORTABLE
            let packed = _mm_packs_epi16(
                unsafeBitCast(a, to: __m128i.self), unsafeBitCast(b, to: __m128i.self))
            return UInt64(UInt32(bitPattern: _mm_movemask_epi8(packed)))
        #else
            var bits: UInt64 = 0
            for i in 0..<8 {
                if a[i] { bits |= 1 << UInt64(i) }
                if b[i] { bits |= 1 << UInt64(i + 8) }
            }
            return bits
        #endif
    }

    /// Returns the eight lanes of `a` and `b` in this order.
    @inline(__always)
    static func joined(
        _ a: SIMDMask<SIMD4<Int32>>, _ b: SIMDMask<SIMD4<Int32>>
    ) -> SIMDMask<SIMD8<Int16>> {
        #if arch(x86_64) && !PORTABLE
            let packed = _mm_packs_epi32(
                unsafeBitCast(a, to: __m128i.self), unsafeBitCast(b, to: __m128i.self))
            return unsafeBitCast(packed, to: SIMDMask<SIMD8<Int16>>.self)
        #else
            var mask = SIMDMask<SIMD8<Int16>>(repeating: false)
            for i in 0..<4 {
                mask[i] = a[i]
                mask[i + 4] = b[i]
            }
            return mask
        #endif
    }

    /// Returns the four lanes of `a` and `b` in this order.
    @inline(__always)
    static func joined(
        _ a: SIMDMask<SIMD2<Int64>>, _ b: SIMDMask<SIMD2<Int64>>
    ) -> SIMDMask<SIMD4<Int32>> {
        let low = unsafeBitCast(a, to: SIMD4<Int32>.self)
        let high = unsafeBitCast(b, to: SIMD4<Int32>.self)
        // All bits of a lane are equal, so half of them suffice.
        let halves = SIMD4(lowHalf: low.evenHalf, highHalf: high.evenHalf)
        return unsafeBitCast(halves, to: SIMDMask<SIMD4<Int32>>.self)
    }

    @inline(__always)
    static func of(_ mask: SIMDMask<SIMD4<Int32>>) -> UInt64 {
        #if arch(x86_64) && !PORTABLE
            let lanes = unsafeBitCast(mask, to: __m128.self)
            return UInt64(UInt32(bitPattern: _mm_movemask_ps(lanes)))
        #else
            var bits: UInt64 = 0
            for i in 0..<4 where mask[i] { bits |= 1 << UInt64(i) }
            return bits
        #endif
    }
}
