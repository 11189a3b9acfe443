/// Range tests of IEEE numbers. NaNs, including null, are in no range.
enum FloatKernels {
    static func rows(
        from low: Double, through high: Double, _ p: UnsafeRawPointer, count: Int
    ) -> Selection {
        let lows = SIMD2<Double>(repeating: low)
        let highs = SIMD2<Double>(repeating: high)
        return Selection(count) { (from, n) in
            let p = p + 8 &* from
            func mask(_ at: Int) -> SIMDMask<SIMD2<Int64>> {
                let v = p.loadUnaligned(fromByteOffset: 8 &* at, as: SIMD2<Double>.self)
                return (v .>= lows) .& (v .<= highs)
            }
            var bits: UInt64 = 0
            var i = 0
            while i &+ 16 <= n {
                let a = LaneBits.joined(mask(i), mask(i &+ 2))
                let b = LaneBits.joined(mask(i &+ 4), mask(i &+ 6))
                let c = LaneBits.joined(mask(i &+ 8), mask(i &+ 10))
                let d = LaneBits.joined(mask(i &+ 12), mask(i &+ 14))
                bits |= LaneBits.of(LaneBits.joined(a, b), LaneBits.joined(c, d)) &<< UInt64(i)
                i &+= 16
            }
            while i < n {
                let v = p.loadUnaligned(fromByteOffset: 8 &* i, as: Double.self)
                if v >= low, v <= high { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    static func rows(
        from low: Float, through high: Float, _ p: UnsafeRawPointer, count: Int
    ) -> Selection {
        let lows = SIMD4<Float>(repeating: low)
        let highs = SIMD4<Float>(repeating: high)
        return Selection(count) { (from, n) in
            let p = p + 4 &* from
            var bits: UInt64 = 0
            var i = 0
            while i &+ 4 <= n {
                let v = p.loadUnaligned(fromByteOffset: 4 &* i, as: SIMD4<Float>.self)
                bits |= LaneBits.of((v .>= lows) .& (v .<= highs)) &<< UInt64(i)
                i &+= 4
            }
            while i < n {
                let v = p.loadUnaligned(fromByteOffset: 4 &* i, as: Float.self)
                if v >= low, v <= high { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    /// Returns the rows whose number has exactly these bits.
    static func rows(equalTo pattern: UInt64, _ p: UnsafeRawPointer, count: Int) -> Selection {
        Selection(count) { (from, n) in
            var bits: UInt64 = 0
            for i in 0..<n {
                let v = p.loadUnaligned(fromByteOffset: 8 &* (from &+ i), as: UInt64.self)
                let isEqual: UInt64 = v == pattern ? 1 : 0
                bits |= isEqual &<< UInt64(i)
            }
            return bits
        }
    }

    /// Returns the rows whose number has exactly these bits.
    static func rows(equalTo pattern: UInt32, _ p: UnsafeRawPointer, count: Int) -> Selection {
        Selection(count) { (from, n) in
            var bits: UInt64 = 0
            for i in 0..<n {
                let v = p.loadUnaligned(fromByteOffset: 4 &* (from &+ i), as: UInt32.self)
                let isEqual: UInt64 = v == pattern ? 1 : 0
                bits |= isEqual &<< UInt64(i)
            }
            return bits
        }
    }

    /// Returns the smallest or the largest of the selected numbers; nil if all are NaN. Of equal
    /// numbers, returns the first.
    static func extreme<Number: BinaryFloatingPoint>(
        _ isLeast: Bool, _ numbers: UnsafePointer<Number>, _ count: Int, _ rows: Selection
    ) -> Number? {
        let worst: Number = isLeast ? .infinity : -.infinity
        var best = worst
        // Comparisons with NaN are false, so NaNs are ignored.
        if rows.count == count {
            best =
                isLeast
                ? reduced(numbers, count, worst) { $1 < $0 ? $1 : $0 }
                : reduced(numbers, count, worst) { $1 > $0 ? $1 : $0 }
        } else if isLeast {
            rows.each { best = numbers[$0] < best ? numbers[$0] : best }
        } else {
            rows.each { best = numbers[$0] > best ? numbers[$0] : best }
        }
        // If `best` is infinite, it may be the start value; if it is zero, it may have the other
        // sign. So the first equal number is searched for.
        guard best == worst || best == 0 else { return best }
        for i in 0..<count where numbers[i] == best && rows.contains(i) { return numbers[i] }
        return nil
    }

    /// Computes the least or greatest of the numbers with four independent results, so that the
    /// processor can do four comparisons at a time. `next` returns the better of two numbers.
    @inline(__always)
    private static func reduced<Number: BinaryFloatingPoint>(
        _ numbers: UnsafePointer<Number>, _ count: Int, _ start: Number,
        _ next: (Number, Number) -> Number
    ) -> Number {
        var (a, b, c, d) = (start, start, start, start)
        var i = 0
        while i &+ 4 <= count {
            a = next(a, numbers[i])
            b = next(b, numbers[i &+ 1])
            c = next(c, numbers[i &+ 2])
            d = next(d, numbers[i &+ 3])
            i &+= 4
        }
        while i < count {
            a = next(a, numbers[i])
            i &+= 1
        }
        return next(next(a, b), next(c, d))
    }
}
