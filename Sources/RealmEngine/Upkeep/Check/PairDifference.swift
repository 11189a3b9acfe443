/// An order-independent sum over pairs of numbers. Equal multisets have equal sums; different
/// multisets almost certainly have different sums.
struct PairSum: Equatable {
    private(set) var count = 0
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    mutating func add(_ a: UInt64, _ b: UInt64) {
        let hash = Self.hash(a, b)
        count &+= 1
        low &+= hash
        high &+= (hash ^ a).mixed
    }

    mutating func subtract(_ a: UInt64, _ b: UInt64) {
        let hash = Self.hash(a, b)
        count &-= 1
        low &-= hash
        high &-= (hash ^ a).mixed
    }

    static func hash(_ a: UInt64, _ b: UInt64) -> UInt64 {
        (a &+ 0x9E37_79B9_7F4A_7C15).mixed &+ (b ^ 0xC2B2_AE3D_27D4_EB4F).mixed
            &* 0x9FB2_1C65_1E98_DF25
    }
}

/// Finds the pairs of numbers in which two multisets, *left* and *right*, differ, in limited
/// memory. Pairs are divided into buckets. The first visit of all pairs finds the buckets that
/// differ; each further visit collects the pairs of some of these buckets.
final class PairDifference {
    enum Side {
        case left, right
    }

    private struct Pair: Comparable {
        let a: UInt64
        let b: UInt64
        /// Number of occurrences of the pair in the left multiset minus the number in the right
        /// one.
        var surplus: Int

        static func < (x: Pair, y: Pair) -> Bool { x.a != y.a ? x.a < y.a : x.b < y.b }
    }

    private static let bucketCount = 4096
    private static let collectedAtOnce = 1 << 20
    /// Number of elements of `collected` at which equal pairs are merged: one element with their
    /// total `surplus` replaces them. A damaged file may repeat one pair millions of times.
    private let mergeThreshold: Int
    private var foldedAt: Int

    private var sums = [PairSum](repeating: PairSum(), count: bucketCount)
    private var sizes = [Int](repeating: 0, count: bucketCount)
    private var isWanted = [Bool](repeating: false, count: bucketCount)
    private var isMeasuring = true
    private var collected: [Pair] = []
    /// Number of elements of `collected`, for tests.
    var collectedCount: Int { collected.count }

    init(foldedAt: Int = collectedAtOnce) {
        mergeThreshold = foldedAt
        self.foldedAt = foldedAt
    }

    func add(_ a: UInt64, _ b: UInt64, to side: Side) {
        let bucket = Int(PairSum.hash(a, b) >> 52)
        guard isMeasuring else {
            if isWanted[bucket] { collect(Pair(a: a, b: b, surplus: side == .left ? 1 : -1)) }
            return
        }
        sizes[bucket] += 1
        if side == .left { sums[bucket].add(a, b) } else { sums[bucket].subtract(a, b) }
    }

    /// Reports the pairs that occur more often in one multiset than in the other.
    ///
    /// - Parameters:
    ///     - visit: calls `add` with all pairs of both multisets. Called several times.
    ///     - report: receives each differing pair and its surplus in the left multiset, negative
    ///       for a surplus in the right one.
    func run(visit: () -> Void, report: (UInt64, UInt64, Int) -> Void) {
        visit()
        isMeasuring = false
        var next = 0
        while next < Self.bucketCount {
            var size = 0
            isWanted = [Bool](repeating: false, count: Self.bucketCount)
            while next < Self.bucketCount, size < Self.collectedAtOnce {
                if sums[next] != PairSum() {
                    isWanted[next] = true
                    size += sizes[next]
                }
                next += 1
            }
            guard size > 0 else { break }
            collected.removeAll(keepingCapacity: true)
            visit()
            reportCollected(report)
        }
    }

    private func collect(_ pair: Pair) {
        collected.append(pair)
        if collected.count < foldedAt { return }
        fold()
        foldedAt = max(mergeThreshold, 2 * collected.count)
    }

    /// Replaces equal pairs by one element with their total `surplus`. Removes pairs that occur
    /// equally often in both multisets.
    private func fold() {
        collected.sort()
        var kept = 0
        var i = 0
        while i < collected.count {
            var pair = collected[i]
            i += 1
            while i < collected.count, collected[i].a == pair.a, collected[i].b == pair.b {
                pair.surplus += collected[i].surplus
                i += 1
            }
            guard pair.surplus != 0 else { continue }
            collected[kept] = pair
            kept += 1
        }
        collected.removeSubrange(kept...)
    }

    private func reportCollected(_ report: (UInt64, UInt64, Int) -> Void) {
        fold()
        for pair in collected { report(pair.a, pair.b, pair.surplus) }
    }
}
