import RealmEngine
import ToolKit

/// Settings shared by all runs of a measurement.
package struct BenchSetting: Sendable, Equatable {
    /// Path of the database that read workloads measure.
    var file = ""
    /// Whether the file was generated for this measurement.
    var isGenerated = false
    /// Number of operations in a run, for workloads that have no fixed number of operations.
    package var num = 100_000
    /// Number of objects that the tasks of `core-bench` create; if nil, they create `num` objects.
    package var coreRows: Int?
    var runs = 5
    var warmup = Duration.milliseconds(200)
    package var seed: UInt64 = 1
    /// Number of threads in workloads that use several.
    var threads = 1
    /// Number of operations per commit.
    var batch = 100
    /// Size in bytes of the payload in every generated object.
    var valueSize = 0
    /// Whether commits survive a power failure.
    package var isDurable = true
    /// Key of an encrypted database. Generated databases are encrypted with it, too. Nil for
    /// unencrypted files.
    package var key: EncryptionKey?
    /// Directory for generated databases.
    var directory = "."
    /// Whether generated databases are kept.
    var keepsFiles = false
    /// Nanoseconds after which a run ends; nil if it ends with its operations.
    package var time: UInt64?
    /// Number of operations that are started per second, whether or not earlier ones have ended.
    /// Nil if each operation starts when the previous one ends.
    var rate: Double?
    /// Nanoseconds after the intended start at which an operation counts as late; nil if none
    /// counts as late.
    var lateThreshold: UInt64?
    var distribution = Distribution.uniform
    /// Whether to remove the file from the page cache before each run that reads it.
    var isCacheCold = false
    /// Number of old versions pinned while a workload writes.
    var pins = 0
    /// Number of threads that read, in workloads that read and write. `writers` is the number of
    /// threads that write.
    var readers = 1
    var writers = 1
    var injection = Injection()

    /// Default numbers of operations and runs for the set `quick`.
    static let quick = (num: 10_000, runs: 3)

    /// Default numbers of operations and runs for `--scaling`. Short runs are repeated in addition.
    static let scaling = (num: 20_000, runs: 1)

    /// Returns a stopwatch for a run with these settings.
    var meter: Meter {
        Meter(
            rate: rate, lateThreshold: lateThreshold, limit: time, injection: injection,
            middle: num / 2)
    }

    /// Number of operations for workloads that have no fixed number: `--num`, or no limit with
    /// `--time`.
    var endless: Int { time == nil ? num : .max }
}

/// Distribution of randomly chosen objects.
enum Distribution: Sendable, Equatable {
    case uniform
    /// The n-th most popular object is chosen with a frequency proportional to 1 / n^theta.
    case zipfian(theta: Double)
    /// Zipfian, with the newest objects as the most popular ones.
    case latest
    /// All objects one after the other, in the order of their positions.
    case sequential

    /// Parameter theta of the Zipfian distribution in YCSB.
    static let usualTheta = 0.99

    /// Parses `uniform`, `zipfian`, `zipfian:0.8`, `latest` or `sequential`; nil for any other
    /// text.
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

    /// Name of the distribution without the parameter theta.
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

/// Artificial slowdown of a measurement, to try out the limits of `--gate` and the plots.
struct Injection: Sendable, Equatable {
    /// Share by which every operation is prolonged: 0.3 for `slow=30%`.
    var slowdown = 0.0
    /// Nanoseconds for which one operation in the middle of each run is paused.
    var stall: UInt64 = 0

    init() {}

    /// Parses `slow=30%`, `stall=200ms`, or both separated by a comma. Returns nil for any other
    /// text.
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

    /// Parses `30%` as 0.3 and `0` as 0. Returns nil for any other text.
    static func share(_ text: some StringProtocol) -> Double? {
        let number = text.hasSuffix("%") ? String(text.dropLast()) : String(text)
        guard let value = Double(number), value.isFinite, value >= 0 else { return nil }
        guard text.hasSuffix("%") || value == 0 else { return nil }
        return value / 100
    }
}
