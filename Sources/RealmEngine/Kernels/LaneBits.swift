#if arch(x86_64) && !PORTABLE
    import _Builtin_intrinsics.intel
#endif

/// Outcomes of vector comparisons as bits, lane 0 lowest: what selections are made of.
enum LaneBits {
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

    /// 16 rows from two vectors of eight.
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

    /// Eight rows from two vectors of four, in the form the overload for eight lanes takes.
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

    /// Four rows from two vectors of two, in the form the overload above takes.
    @inline(__always)
    static func joined(
        _ a: SIMDMask<SIMD2<Int64>>, _ b: SIMDMask<SIMD2<Int64>>
    ) -> SIMDMask<SIMD4<Int32>> {
        let low = unsafeBitCast(a, to: SIMD4<Int32>.self)
        let high = unsafeBitCast(b, to: SIMD4<Int32>.self)
        // All bits of a lane are equal, so either half of it will do.
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
