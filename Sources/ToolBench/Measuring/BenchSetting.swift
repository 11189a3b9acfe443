import RealmEngine
import ToolKit

/// What all runs of a measurement have in common.
package struct BenchSetting: Sendable, Equatable {
    /// The database that reading workloads read.
    var file = ""
    /// It was made for this measurement.
    var isGenerated = false
    /// Operations per run of workloads that have no end of their own.
    package var num = 100_000
    /// Objects the common tasks begin with; nil for as many as `num`.
    package var coreRows: Int?
    var runs = 5
    var warmup = Duration.milliseconds(200)
    package var seed: UInt64 = 1
    /// Worker threads of workloads that use several.
    var threads = 1
    /// Operations between two commits.
    var batch = 100
    /// Bytes of payload in every generated object.
    var valueSize = 0
    /// Commits survive a power failure.
    package var isDurable = true
    /// Of an encrypted database; generated ones are encrypted with it.
    package var key: EncryptionKey?
    /// Where generated databases go.
    var directory = "."
    /// Generated databases stay.
    var keepsFiles = false
    /// Nanoseconds after which a run ends; nil when it ends with its operations.
    package var time: UInt64?
    /// Operations begun per second whether or not earlier ones are done; nil for one after another.
    var rate: Double?
    /// Nanoseconds from the intended start beyond which an operation counts as late.
    var lateAfter: UInt64?
    var distribution = Distribution.uniform
    /// The file is not in the page cache when a run that reads it begins.
    var isCacheCold = false
    /// Old versions held while a workload writes.
    var pins = 0
    /// Threads that read and that write in workloads that do both at once.
    var readers = 1
    var writers = 1
    var injection = Injection()

    /// What the set `quick` has instead.
    static let quick = (num: 10_000, runs: 3)

    /// Defaults of `--scaling`, which repeats short runs besides.
    static let scaling = (num: 20_000, runs: 1)

    /// How a run is timed.
    var meter: Meter {
        Meter(rate: rate, lateAfter: lateAfter, limit: time, injection: injection, middle: num / 2)
    }

    /// Operations of a run that has no end of its own.
    var endless: Int { time == nil ? num : .max }
}

/// How the objects of a workload that chooses at random are chosen.
enum Distribution: Sendable, Equatable {
    case uniform
    /// A few are chosen often: the n-th most popular one in proportion to 1 / n^theta.
    case zipfian(theta: Double)
    /// As `zipfian`, the newest objects being the most popular.
    case latest
    /// One after the other.
    case sequential

    /// The skew that YCSB uses.
    static let usualTheta = 0.99

    /// `uniform`, `zipfian`, `zipfian:0.8`, `latest`, `sequential`; nil for anything else.
    init?(_ text: String) {
        switch text {
        case "uniform": self = .uniform
        case "zipfian": self = .zipfian(theta: Self.usualTheta)
        case "latest": self = .latest
        case "sequential": self = .sequential
        default:
            guard text.hasPrefix("zipfian:"), let theta = Double(text.dropFirst(8)),
                theta > 0, theta < 1
            else { return nil }
            self = .zipfian(theta: theta)
        }
    }

    /// Without the skew.
    var name: String {
        if case .zipfian = self { return "zipfian" }
        return text
    }

    var text: String {
        switch self {
        case .uniform: "uniform"
        case .zipfian(let theta): "zipfian:\(theta)"
        case .latest: "latest"
        case .sequential: "sequential"
        }
    }
}

/// What makes a measurement worse on purpose: the way to try out a gate or a plot.
struct Injection: Sendable, Equatable {
    /// Every operation takes longer by this share of its time.
    var slowdown = 0.0
    /// Nanoseconds for which one operation in the middle of each run stands still.
    var stall: UInt64 = 0

    init() {}

    /// `slow=30%`, `stall=200ms`, or both with a comma; nil for anything else.
    init?(_ text: String) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if part.hasPrefix("slow=") {
                guard let share = Self.share(part.dropFirst(5)) else { return nil }
                slowdown = share
            } else if part.hasPrefix("stall=") {
                guard let time = ValueForms.duration(String(part.dropFirst(6))) else { return nil }
                stall = UInt64(time.wholeNanoseconds)
            } else {
                return nil
            }
        }
    }

    /// `30%` as 0.3 and `0` as 0; nil for anything else.
    static func share(_ text: some StringProtocol) -> Double? {
        let number = text.hasSuffix("%") ? String(text.dropLast()) : String(text)
        guard let value = Double(number), value.isFinite, value >= 0 else { return nil }
        guard text.hasSuffix("%") || value == 0 else { return nil }
        return value / 100
    }
}
