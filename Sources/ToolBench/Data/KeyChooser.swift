import Glibc
import ToolKit

/// Chooses positions of objects at random, with a given distribution. The sequence depends only on
/// the seed.
struct KeyChooser: Sendable {
    private let distribution: Distribution
    private var random: SplitMix64
    private var zipfian: Zipfian
    private var next = 0

    init(_ distribution: Distribution, count: Int, seed: UInt64) {
        self.distribution = distribution
        random = SplitMix64(seed: seed)
        if case .zipfian(let theta) = distribution {
            zipfian = Zipfian(count: count, theta: theta)
        } else if distribution == .latest {
            zipfian = Zipfian(count: count, theta: Distribution.usualTheta)
        } else {
            zipfian = Zipfian(count: 1, theta: 0.5)
        }
    }

    /// Returns a position below `count`. `count` must be at least 1 and must not decrease from call
    /// to call.
    mutating func choose(_ count: Int) -> Int {
        switch distribution {
        case .uniform: return random.below(count)
        case .sequential:
            next = next < count ? next : 0
            defer { next += 1 }
            return next
        case .zipfian:
            // The rank is hashed, so that popular objects are not all in the same leaf.
            var hash = SplitMix64(seed: UInt64(zipfian.rank(&random, among: count)))
            return hash.below(count)
        case .latest: return count - 1 - zipfian.rank(&random, among: count)
        }
    }
}

/// Generator of Zipfian random numbers by Gray and others ("Quickly generating billion-record
/// synthetic databases"), as in YCSB: the probability of rank n is proportional to 1 / (n +
/// 1)^theta.
struct Zipfian: Sendable {
    private let theta: Double
    private var count = 0
    private var zeta = 0.0
    private let zeta2: Double

    init(count: Int, theta: Double) {
        self.theta = theta
        zeta2 = 1 + pow(0.5, theta)
        grow(to: count)
    }

    /// Extends the sum of 1 / n^theta to `wanted` ranks. The terms of the previous ranks are kept.
    private mutating func grow(to wanted: Int) {
        while count < wanted {
            count += 1
            zeta += 1 / pow(Double(count), theta)
        }
    }

    /// Returns a random rank below `count`. Lower ranks are more frequent.
    mutating func rank(_ random: inout SplitMix64, among count: Int) -> Int {
        grow(to: count)
        let u = Double(random.next() >> 11) * 0x1p-53
        let uz = u * zeta
        if uz < 1 { return 0 }
        if uz < zeta2 { return min(1, count - 1) }
        let alpha = 1 / (1 - theta)
        let eta = (1 - pow(2 / Double(self.count), 1 - theta)) / (1 - zeta2 / zeta)
        return min(count - 1, Int(Double(count) * pow(eta * u - eta + 1, alpha)))
    }
}
