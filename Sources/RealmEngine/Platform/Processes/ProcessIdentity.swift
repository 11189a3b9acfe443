import Glibc
import Synchronization

/// A process id with the time at which the process started. The time distinguishes the process from
/// later processes with the same id.
package struct ProcessIdentity: Hashable, Sendable {
    package let pid: UInt32
    /// Clock ticks from system start to process start, truncated to 32 bits; 0 if unknown.
    let startTime: UInt32

    init(pid: UInt32, startTime: UInt32) {
        self.pid = pid
        self.startTime = startTime
    }

    /// The process that has the id `pid` at present; nil if there is none or it is a zombie.
    init?(pid: UInt32) {
        guard let number = pid_t(exactly: pid), number > 0 else { return nil }
        self.pid = pid
        guard let fields = Self.fields(of: pid) else {
            guard kill(number, 0) == 0 || errno == EPERM else { return nil }
            startTime = 0
            return
        }
        if let state = fields.dropFirst().first?.first, "ZX".utf8.contains(state) { return nil }
        startTime = UInt32(truncatingIfNeeded: Self.startTicks(fields) ?? 0)
    }

    /// Clock ticks from system start to the start of the process `pid`; nil if unknown.
    static func startTicks(of pid: UInt32) -> UInt64? { fields(of: pid).flatMap { startTicks($0) } }

    private static func startTicks(_ fields: [ArraySlice<UInt8>]) -> UInt64? {
        fields.count > 20 ? UInt64(String(decoding: fields[20], as: UTF8.self)) : nil
    }

    /// Returns the fields of `/proc/PID/stat` after the command name, which may itself contain
    /// spaces and parentheses. Nil if the file cannot be read.
    private static func fields(of pid: UInt32) -> [ArraySlice<UInt8>]? {
        guard let line = firstLine(of: "/proc/\(pid)/stat") else { return nil }
        let end = line.lastIndex(of: UInt8(ascii: ")")) ?? line.endIndex
        return line[end...].split(separator: UInt8(ascii: " "))
    }

    /// The identity of this process. Cached until the process forks.
    static var current: ProcessIdentity {
        let generation = UInt64(ForkGeneration.current) + 1
        if cachedGeneration.load(ordering: .acquiring) == generation {
            let known = known.load(ordering: .relaxed)
            return ProcessIdentity(
                pid: UInt32(known >> 32), startTime: UInt32(truncatingIfNeeded: known))
        }
        let pid = UInt32(bitPattern: getpid())
        let current = ProcessIdentity(pid: pid) ?? ProcessIdentity(pid: pid, startTime: 0)
        known.store(UInt64(current.pid) << 32 | UInt64(current.startTime), ordering: .relaxed)
        cachedGeneration.store(generation, ordering: .releasing)
        return current
    }

    private static let known = Atomic<UInt64>(0)
    private static let cachedGeneration = Atomic<UInt64>(0)

    /// Whether this process is still running.
    var isRunning: Bool { ProcessIdentity(pid: pid) == self }

    private static func firstLine(of path: String) -> ArraySlice<UInt8>? {
        let descriptor = retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = retryingInterrupts { read(descriptor, &bytes, bytes.count) }
        return count > 0 ? bytes[..<count] : nil
    }
}

/// A number that is larger in a forked process than in its parent.
enum ForkGeneration {
    private static let counter = Atomic<UInt32>(0)
    private static let isWatched: Bool = {
        pthread_atfork(nil, nil) {
            ForkGeneration.counter.wrappingAdd(1, ordering: .relaxed)
        }
        return true
    }()

    static var current: UInt32 {
        _ = isWatched
        return counter.load(ordering: .relaxed)
    }
}

/// The calling thread's id, as the system's tools show it.
enum ThreadNumber {
    /// The thread's id in the lower 32 bits, and in the upper ones `ForkGeneration.current` when
    /// the id was read; nil before the id is first needed.
    private static let own = ThreadPointer()

    /// The calling thread's id. Cached per thread until the process forks.
    static var current: UInt32 {
        let generation = UInt(ForkGeneration.current)
        let known = UInt(bitPattern: own.value)
        if known != 0, known >> 32 == generation { return UInt32(truncatingIfNeeded: known) }
        let number = readThreadID() ?? UInt32(bitPattern: getpid())
        own.value = UnsafeMutableRawPointer(bitPattern: generation << 32 | UInt(number))
        return number
    }

    /// Reads the id from the link "PID/task/NUMBER" in `/proc`, because Swift does not import
    /// `gettid`.
    private static func readThreadID() -> UInt32? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes {
            readlink("/proc/thread-self", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
        }
        let text = bytes[..<max(0, count)].split(separator: UInt8(ascii: "/"))
        return text.last.flatMap { UInt32(String(decoding: $0, as: UTF8.self)) }
    }
}

/// The system's real-time clock.
enum WallClock {
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// Nanoseconds since 1970; a few milliseconds slow at most. Needs no system call.
    static var coarseNanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
