import Synchronization

extension QueryPlan {
    /// Returns the number of objects of the newest version of `database` that match the condition,
    /// before DISTINCT and LIMIT. Up to `threads` threads count, each with its own snapshot. The
    /// plan must have been made for that version. Throws `corrupt`.
    package func matchCount(in database: Database, threads: Int) throws(RealmError) -> Int {
        try matchCount(in: database, threads: threads, share: 1 << 14)
    }

    /// - Parameter share: minimum number of objects per thread.
    func matchCount(
        in database: Database, threads: Int, share: Int
    ) throws(RealmError) -> Int {
        let snapshot = database.snapshot()
        if threads > 1, candidates == nil {
            let tree = ClusterTree(space: snapshot.lookup, root: query.table.root)
            let workers = min(threads, try tree.count() / share)
            if workers > 1, let stretches = try? stretches(in: snapshot), !stretches.isEmpty {
                let shared = SharedCount(stretches)
                Threads.run(workers) { _ in
                    shared.work(QueryRun(self, in: database.snapshot()))
                }
                if let total = shared.total() { return total }
            }
        }
        // Without workers, this run counts alone. If workers failed, as in a damaged tree, it
        // throws the error.
        return try QueryRun(self, in: snapshot).matchCount()
    }

    private func stretches(in snapshot: Snapshot) throws(RealmError) -> [LeafRange] {
        snapshot.beginWalk()
        let tree = ClusterTree(space: snapshot.walk, root: query.table.root)
        return try LeafRange.all(of: tree, size: SharedCount.leavesPerStretch)
    }
}

/// A count shared by several workers: each worker takes the next range of leaves until none is
/// left. No worker waits for another.
private final class SharedCount: @unchecked Sendable {
    /// Number of leaves per range: large enough to make taking a range cheap, small enough for all
    /// workers to end at about the same time.
    static let leavesPerStretch = 16

    private let stretches: [LeafRange]
    private let next = Atomic<Int>(0)
    private let hasFailed = Atomic<Bool>(false)
    /// Results of counting each range of leaves, written by the worker that took the range.
    private let outcomes: UnsafeMutablePointer<Outcome>

    private struct Outcome {
        var objects = 0
        var lastKey: UInt64 = 0
        var matches = 0
    }

    init(_ stretches: [LeafRange]) {
        self.stretches = stretches
        outcomes = .allocate(capacity: stretches.count)
        outcomes.initialize(repeating: Outcome(), count: stretches.count)
    }

    deinit { outcomes.deallocate() }

    func work(_ run: QueryRun) {
        while !hasFailed.load(ordering: .relaxed) {
            let i = next.add(1, ordering: .relaxed).oldValue
            guard i < stretches.count else { return }
            do throws(RealmError) {
                var matches = 0
                let met = try run.visit(stretches[i]) { matches &+= $0.count }
                outcomes[i] = Outcome(
                    objects: met.objects, lastKey: met.lastKey, matches: matches)
            } catch { hasFailed.store(true, ordering: .relaxed) }
        }
    }

    /// Returns the number of matching objects in all ranges of leaves, after all workers are done.
    /// Nil if a worker failed, or if the keys or object counts of the ranges contradict each other,
    /// as in a damaged tree.
    func total() -> Int? {
        if hasFailed.load(ordering: .relaxed) { return nil }
        var total = 0
        // Number of objects counted so far below the current inner node. After the last range below
        // this node, it must equal the number that the node stores (`announced`).
        var met = 0
        for i in stretches.indices {
            if i > 0, stretches[i].start <= outcomes[i - 1].lastKey { return nil }
            total &+= outcomes[i].matches
            met &+= outcomes[i].objects
            guard let announced = stretches[i].announced else { continue }
            if met != announced { return nil }
            met = 0
        }
        return total
    }
}
