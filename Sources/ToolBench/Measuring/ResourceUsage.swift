import Glibc
import ToolKit

/// Resources used by the process, according to the kernel.
struct ResourceUsage: Sendable {
    var userNanoseconds = 0
    var systemNanoseconds = 0
    /// Number of page faults without disk access. `majorFaults` is the number of page faults that
    /// waited for a disk.
    var minorFaults = 0
    var majorFaults = 0
    /// Bytes written to storage on behalf of the process; nil if the kernel does not count them.
    var bytesWritten: Int?

    /// Resources used since the process started.
    static var now: ResourceUsage {
        var usage = ofProcessor
        usage.bytesWritten = SystemText.contents("/proc/self/io")
            .flatMap { SystemText.field("write_bytes", in: $0) }
            .flatMap { ValueForms.count($0) }
        return usage
    }

    /// Resources used since the process started, without `bytesWritten`, which takes longer to
    /// read.
    static var ofProcessor: ResourceUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ResourceUsage(
            userNanoseconds: nanoseconds(usage.ru_utime),
            systemNanoseconds: nanoseconds(usage.ru_stime), minorFaults: usage.ru_minflt,
            majorFaults: usage.ru_majflt)
    }

    /// Returns this usage with the processor times and page faults of `other` added. Does not add
    /// the bytes written.
    func adding(_ other: ResourceUsage) -> ResourceUsage {
        var sum = self
        sum.userNanoseconds += other.userNanoseconds
        sum.systemNanoseconds += other.systemNanoseconds
        sum.minorFaults += other.minorFaults
        sum.majorFaults += other.majorFaults
        return sum
    }

    /// Returns the resources used since `earlier`.
    func since(_ earlier: ResourceUsage) -> ResourceUsage {
        var difference = ResourceUsage()
        difference.userNanoseconds = userNanoseconds - earlier.userNanoseconds
        difference.systemNanoseconds = systemNanoseconds - earlier.systemNanoseconds
        difference.minorFaults = minorFaults - earlier.minorFaults
        difference.majorFaults = majorFaults - earlier.majorFaults
        difference.bytesWritten = bytesWritten.map { $0 - (earlier.bytesWritten ?? 0) }
        return difference
    }

    private static func nanoseconds(_ time: timeval) -> Int {
        time.tv_sec * 1_000_000_000 + time.tv_usec * 1000
    }
}

/// Peak memory of the process, including pages of mapped files.
enum PeakMemory {
    /// Resets the peak memory of the process, if the kernel allows it.
    static func reset() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        close(descriptor)
    }

    /// Peak memory of the process in bytes.
    static var bytes: Int {
        if let text = SystemText.contents("/proc/self/status"),
            let field = SystemText.field("VmHWM", in: text),
            let kibibytes = ValueForms.count(field.prefix { $0 != " " })
        {
            return kibibytes << 10
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss << 10
    }
}
