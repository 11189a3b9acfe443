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

    /// What the workers share: the leaves not taken yet, and the outcome so far. Guarded by a mutex.
    private struct Progress: ~Copyable {
        var units: QueryUnits
        var total = 0
        var failure: RealmError?
    }

    /// Leaves a worker takes at a time.
    private static let stride = 32

    /// Leaves are found while others are searched already: whoever needs some takes them from the
    /// one walk over the table.
    func run() throws(RealmError) -> Int {
        let workers = try workers()
        if workers == 1 { return try QueryRun(plan, in: database.snapshot()).matchCount() }
        let progress = Mutex(Progress(units: QueryUnits(plan, in: database.snapshot())))
        Threads.run(workers) { _ in
            let run = QueryRun(plan, in: database.snapshot())
            var count = 0
            do throws(RealmError) {
                while true {
                    let units = try progress.withLock { (state) throws(RealmError) in
                        state.failure == nil ? try state.units.next(Self.stride) : []
                    }
                    if units.isEmpty { break }
                    for unit in units { count += try run.count(unit) }
                }
                progress.withLock { $0.total += count }
            } catch {
                progress.withLock { if $0.failure == nil { $0.failure = error } }
            }
        }
        let (total, failure) = progress.withLock { ($0.total, $0.failure) }
        if let failure { throw failure }
        return total
    }

    /// Objects a further thread is worth.
    private static let share = 1 << 14

    private func workers() throws(RealmError) -> Int {
        if threads < 2 { return 1 }
        let objects = try plan.candidateCount(in: database.snapshot())
        return max(1, min(threads, objects / Self.share))
    }
}
