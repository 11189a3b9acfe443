import Glibc
import ToolKit

/// Chooses positions of objects, again and again, as a distribution says; the same ones for the
/// same seed everywhere.
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

    /// A position below `count`, which is at least 1 and never falls from call to call.
    mutating func choose(_ count: Int) -> Int {
        switch distribution {
        case .uniform: return random.below(count)
        case .sequential:
            next = next < count ? next : 0
            defer { next += 1 }
            return next
        case .zipfian:
            // Spread, so that the popular ones do not all lie in one leaf.
            var hash = SplitMix64(seed: UInt64(zipfian.rank(&random, among: count)))
            return hash.below(count)
        case .latest: return count - 1 - zipfian.rank(&random, among: count)
        }
    }
}

/// The generator of Gray and others ("Quickly generating billion-record synthetic databases"),
/// which YCSB uses: rank n with a probability in proportion to 1 / (n + 1)^theta.
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

    /// The sum over the ranks; only new ranks cost anything.
    private mutating func grow(to wanted: Int) {
        while count < wanted {
            count += 1
            zeta += 1 / pow(Double(count), theta)
        }
    }

    /// A rank below `count`.
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
