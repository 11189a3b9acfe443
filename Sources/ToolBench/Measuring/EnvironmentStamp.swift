import Glibc
import RealmEngine
import ToolKit

/// Conditions of a measurement, except the file. Numbers that were measured under different
/// conditions are not comparable.
struct EnvironmentStamp: Sendable, Equatable {
    var version = Capabilities.version
    var build = Capabilities.buildMode
    /// Build ID of the program; nil if the linker did not store one.
    var identity = BuildIdentity.short
    var processor = Self.processorName()
    var processorCount = Threads.processorCount
    var kernel = Self.kernelRelease()
    /// File system of the measured file or of its directory.
    var fileSystem: String
    /// Frequency governor of the processor; nil if the system does not report it.
    var governor = SystemText.contents(
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    ).map { SystemText.trimmed($0) }
    /// Load average of the last minute.
    var load = Self.loadAverage()

    /// Collects the conditions of a measurement.
    ///
    /// - Parameter path: the measured file, or the directory of generated files.
    init(path: String) { fileSystem = Self.fileSystemName(path) }

    /// Warnings for people about conditions that make the numbers unreliable, such as a debug
    /// build.
    var warnings: [String] {
        var texts: [String] = []
        if build == "debug" {
            texts.append("this is a debug build: its figures are meaningless")
        }
        if fileSystem == "tmpfs" || fileSystem == "ramfs" {
            texts.append("the file is in memory (\(fileSystem)): reading and syncing are free")
        }
        if load > Double(processorCount) / 2 {
            texts.append(
                "the machine is busy: \(Quantity.oneDecimal(load)) processes want its "
                    + "\(processorCount == 1 ? "processor" : "\(processorCount) processors")")
        }
        return texts
    }

    private static func processorName() -> String {
        SystemText.contents("/proc/cpuinfo").flatMap { SystemText.field("model name", in: $0) }
            ?? machine { $0.machine }
    }

    private static func kernelRelease() -> String { machine { $0.release } }

    /// Returns one of the texts of `uname`.
    private static func machine<T>(_ field: (utsname) -> T) -> String {
        var names = utsname()
        uname(&names)
        return withUnsafeBytes(of: field(names)) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func loadAverage() -> Double {
        var average = 0.0
        return getloadavg(&average, 1) == 1 ? average : 0
    }

    /// Returns the type of the file system of `path`: of the mount point that is the longest prefix
    /// of the path.
    private static func fileSystemName(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return "unknown" }
        defer { free(resolved) }
        let path = String(cString: resolved)
        let mounts = SystemText.contents("/proc/self/mountinfo") ?? ""
        var (longest, name) = (-1, "unknown")
        for line in mounts.split(separator: "\n") {
            // A line of `/proc/self/mountinfo` has this format: 36 35 98:0 /root /mount/point
            // options [tags] - type source options
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
            else { continue }
            let point = fields[4] == "/" ? "" : String(fields[4])
            // If there are two mounts at the same point, the later one hides the earlier one.
            if path == point || path.hasPrefix(point + "/"), point.utf8.count >= longest {
                (longest, name) = (point.utf8.count, String(fields[dash + 1]))
            }
        }
        return name
    }
}
