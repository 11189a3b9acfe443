import Glibc
import RealmEngine
import ToolKit

/// `--watch`: repeats the report at intervals. Each report is one line of JSON.
struct VersionsWatch {
    private let request: VersionsRequest
    private let output: OutputFile
    private let diagnostics: Diagnostics
    private let interval: Duration
    private var arrivals: [Arrivals]
    private var plot: GrowthPlot?

    init(_ request: VersionsRequest, _ output: OutputFile) throws(RealmError) {
        self.request = request
        self.output = output
        diagnostics = Diagnostics(request.command)
        interval = request.command[VersionsOption.watch] ?? .seconds(1)
        arrivals = request.paths.map { _ in Arrivals() }
        guard let path = request.plotPath else { return }
        if request.paths.count > 1 {
            throw .misuse("--plot draws one FILE", code: "InvalidArgument")
        }
        // The file is created and discarded, so that a failure is reported at the beginning.
        _ = try OutputFile(path: path, force: request.command.mayReplaceOutput)
        plot = GrowthPlot(file: request.paths[0])
    }

    /// Watches the file until a signal or an error.
    mutating func run() throws(RealmError) -> Never {
        var due = MonotonicClock.nanoseconds()
        while true {
            for index in request.paths.indices { try observe(index) }
            try draw()
            due = max(
                MonotonicClock.nanoseconds(), due &+ UInt64(max(0, interval.wholeNanoseconds)))
            Self.sleep(until: due)
        }
    }

    private mutating func observe(_ index: Int) throws(RealmError) {
        let path = request.paths[index]
        let facts: FileFacts
        do throws(RealmError) {
            let arrivals = arrivals[index]
            facts = try request.facts(path, late: arrivals.isLate)
        } catch {
            // While a file is being replaced, it is missing for a short time. So most errors are
            // only reported, and watching continues. A wrong key remains wrong.
            guard ![.misuse, .output, .key].contains(error.kind) else { throw error }
            diagnostics.report(error)
            return
        }
        arrivals[index].note(facts)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        var buffer = ByteBuffer(capacity: 4096)
        FileReport(facts).json(time: WallTime.text(nanoseconds)).appendLine(to: &buffer)
        try output.flush(&buffer)
        if let space = facts.inspection.space {
            plot?.add(
                seconds: Double(nanoseconds) / 1e9, bytes: Double(facts.inspection.bytes),
                live: Double(space.live), free: Double(space.free), pinned: Double(space.pinned))
        }
    }

    /// Replaces the whole picture each time, so that the picture is complete whenever watching
    /// ends.
    private func draw() throws(RealmError) {
        guard let plot, let path = request.plotPath else { return }
        let picture = try OutputFile(path: path, force: true)
        var buffer = plot.drawing()
        try picture.flush(&buffer)
        try picture.commit()
    }

    private static func sleep(until due: UInt64) {
        let now = MonotonicClock.nanoseconds()
        guard due > now else { return }
        var time = timespec()
        time.tv_sec = Int((due - now) / 1_000_000_000)
        time.tv_nsec = Int((due - now) % 1_000_000_000)
        nanosleep(&time, nil)
    }
}

/// Records which version was the newest one when each process opened the file.
///
/// For each process, `before` is the version that was the newest at the last observation before the
/// process had the file open. The process cannot pin an earlier version.
struct Arrivals {
    private var before: [ProcessIdentity: UInt64] = [:]
    private var newest: UInt64?

    /// Stores which processes now have the file open, and the newest version.
    mutating func note(_ facts: FileFacts) {
        guard let openers = facts.openers, facts.inspection.lock?.isInUse == true else {
            // Starts anew: the session has ended, or its processes are unknown.
            self = Arrivals()
            newest = facts.openers == nil ? nil : 0
            return
        }
        var next: [ProcessIdentity: UInt64] = [:]
        for opener in openers.openers where opener.participants > 0 {
            // Processes that have the file open at the first observation may pin any version.
            next[opener.process] = before[opener.process] ?? newest ?? 0
        }
        before = next
        newest = facts.inspection.version
    }

    /// Whether the process opened the file when `version` was no longer the newest.
    func isLate(_ opener: FileHolder, _ version: UInt64) -> Bool {
        guard let newest else { return false }
        return version < before[opener.process] ?? newest
    }
}
