import RealmEngine
import Synchronization

/// Counts the objects a query matches, on several threads, each with its own snapshot.
struct MatchCount {
    private let plan: QueryPlan
    private let database: Database
    private let threads: Int

    init(_ plan: QueryPlan, _ database: Database, _ threads: Int) {
        self.plan = plan
        self.database = database
        self.threads = threads
    }

    private struct Progress {
        var next = 0
        var total = 0
        var failure: RealmError?
    }

    /// Leaves a worker takes at a time, and the least a second thread is worth.
    private static let stride = 64

    func run() throws(RealmError) -> Int {
        let units = try plan.units(in: database.snapshot())
        let workers = max(1, min(threads, units.count / (2 * Self.stride)))
        let progress = Mutex(Progress())
        Threads.run(workers) { _ in
            let run = QueryRun(plan, in: database.snapshot())
            while true {
                let start = progress.withLock { state -> Int in
                    guard state.failure == nil else { return units.count }
                    state.next += Self.stride
                    return state.next - Self.stride
                }
                guard start < units.count else { return }
                do throws(RealmError) {
                    var count = 0
                    for unit in units[start..<min(start + Self.stride, units.count)] {
                        count += try run.count(unit)
                    }
                    progress.withLock { $0.total += count }
                } catch {
                    progress.withLock { if $0.failure == nil { $0.failure = error } }
                    return
                }
            }
        }
        let end = progress.withLock { $0 }
        if let failure = end.failure { throw failure }
        return end.total
    }
}
