/// Row-by-row comparison of two arrays of numbers. The result is a `Selection`: one bit per row, in
/// words of 64 bits.
enum NumberKernels {
    /// Returns the rows, among the first `count`, whose integer in `a` is less than the one in `b`.
    static func rows(
        _ a: UnsafePointer<Int64>, below b: UnsafePointer<Int64>, _ count: Int
    ) -> Selection { rows(a, b, count) { $0 < $1 } }

    /// Returns the rows, among the first `count`, whose integers are equal.
    static func rows(
        _ a: UnsafePointer<Int64>, equalTo b: UnsafePointer<Int64>, _ count: Int
    ) -> Selection { rows(a, b, count) { $0 == $1 } }

    /// Returns the rows, among the first `count`, whose double in `a` is less than the one in `b`.
    /// NaN is less than every number.
    static func rows(
        _ a: UnsafePointer<Double>, below b: UnsafePointer<Double>, _ count: Int
    ) -> Selection { rows(a, b, count) { $0 < $1 || ($0 != $0 && $1 == $1) } }

    /// Returns the rows, among the first `count`, whose doubles are equal. All NaNs are equal to
    /// each other.
    static func rows(
        _ a: UnsafePointer<Double>, equalTo b: UnsafePointer<Double>, _ count: Int
    ) -> Selection { rows(a, b, count) { $0 == $1 || ($0 != $0 && $1 != $1) } }

    @inline(__always)
    private static func rows<T>(
        _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ count: Int, _ test: (T, T) -> Bool
    ) -> Selection {
        Selection(count) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            while i < n {
                let isTrue: UInt64 = test(a[from &+ i], b[from &+ i]) ? 1 : 0
                bits |= isTrue &<< UInt64(i)
                i &+= 1
            }
            return bits
        }
    }
}
