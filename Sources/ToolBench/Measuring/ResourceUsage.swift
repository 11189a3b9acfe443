import Glibc
import ToolKit

/// What the process used, as the kernel counts it.
struct ResourceUsage: Sendable {
    var userNanoseconds = 0
    var systemNanoseconds = 0
    /// Page faults answered from memory, and those that had to wait for a disk.
    var minorFaults = 0
    var majorFaults = 0
    /// Bytes the kernel was made to write to storage; nil where it does not count them.
    var bytesWritten: Int?

    /// Since the process began.
    static var now: ResourceUsage {
        var usage = ofProcessor
        usage.bytesWritten = SystemText.contents("/proc/self/io")
            .flatMap { SystemText.field("write_bytes", in: $0) }
            .flatMap { ValueForms.count($0) }
        return usage
    }

    /// As above, without the bytes, which take longer to ask for.
    static var ofProcessor: ResourceUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ResourceUsage(
            userNanoseconds: nanoseconds(usage.ru_utime),
            systemNanoseconds: nanoseconds(usage.ru_stime), minorFaults: usage.ru_minflt,
            majorFaults: usage.ru_majflt)
    }

    /// Both together; bytes written are not added.
    func adding(_ other: ResourceUsage) -> ResourceUsage {
        var sum = self
        sum.userNanoseconds += other.userNanoseconds
        sum.systemNanoseconds += other.systemNanoseconds
        sum.minorFaults += other.minorFaults
        sum.majorFaults += other.majorFaults
        return sum
    }

    /// What was used since `earlier`.
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

/// The most memory the process had at once, pages of mapped files included.
enum PeakMemory {
    /// Forgets the peak so far, where the kernel allows that.
    static func reset() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        close(descriptor)
    }

    /// Bytes.
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
