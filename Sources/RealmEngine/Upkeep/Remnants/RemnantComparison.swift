import Synchronization

/// Compares old leaves of one class with the newest version, in batches that several threads share.
/// All leaves are read through one database handle. Confined to one thread.
final class RemnantComparison<Found: Sendable> {
    private let search: RemnantSearch
    private let comparers: [RemnantComparer]
    private let piece: (Found, Snapshot) -> RemnantPiece?

    /// Number of leaves that each thread compares in one batch. The number is large enough to make
    /// starting threads cheap, and small enough to keep the results of a batch in little memory.
    private static var leavesPerThread: Int { 64 }

    /// - Parameters:
    ///   - view: database handle through which the leaves are read.
    ///   - piece: opens a leaf in a snapshot of `view`; called in several threads.
    init(
        _ search: RemnantSearch, _ subject: RemnantSubject, _ view: Database, threads: Int,
        piece: @escaping (Found, Snapshot) -> RemnantPiece?
    ) {
        (self.search, self.piece) = (search, piece)
        comparers = (0..<max(1, threads)).map { _ in RemnantComparer(search, subject, view) }
    }

    /// Calls `body` with the compared rows of each leaf, in the order of the leaves.
    func visit(
        _ found: [Found], _ body: (RemnantRows) throws(RealmError) -> Void
    ) throws(RealmError) {
        var start = 0
        while start < found.count {
            let end = min(found.count, start + comparers.count * Self.leavesPerThread)
            let batch = Batch(found[start..<end], comparers, piece)
            let threads = min(comparers.count, end - start)
            Threads.run(threads) { batch.work($0) }
            for comparer in comparers { search.walks.take(&comparer.walks) }
            for i in 0..<end - start {
                if let rows = batch.outcomes[i] { try body(rows) }
            }
            start = end
        }
    }

    /// Leaves shared by several threads: each takes the next one until none is left.
    private final class Batch: @unchecked Sendable {
        private let found: [Found]
        private let comparers: [RemnantComparer]
        private let piece: (Found, Snapshot) -> RemnantPiece?
        private let next = Atomic<Int>(0)
        /// Result for each leaf, written by the thread that took it.
        let outcomes: UnsafeMutablePointer<RemnantRows?>

        init(
            _ found: ArraySlice<Found>, _ comparers: [RemnantComparer],
            _ piece: @escaping (Found, Snapshot) -> RemnantPiece?
        ) {
            (self.found, self.comparers, self.piece) = (Array(found), comparers, piece)
            outcomes = .allocate(capacity: found.count)
            outcomes.initialize(repeating: nil, count: found.count)
        }

        deinit {
            outcomes.deinitialize(count: found.count)
            outcomes.deallocate()
        }

        func work(_ thread: Int) {
            let comparer = comparers[thread]
            while true {
                let i = next.add(1, ordering: .relaxed).oldValue
                guard i < found.count else { return }
                guard let piece = piece(found[i], comparer.reader) else { continue }
                outcomes[i] = comparer.rows(of: piece)
            }
        }
    }
}

/// Compares old leaves with the newest version. Opens two snapshots, one for the old leaves and one
/// for the newest version. Used by one thread at a time.
final class RemnantComparer {
    private let search: RemnantSearch
    private let subject: RemnantSubject
    /// Snapshot through which the old leaves are read.
    let reader: Snapshot
    private let newest: Snapshot
    private let digest: ContentDigest
    private let newestDigest: ContentDigest
    var walks: RemnantWalkBudget

    init(_ search: RemnantSearch, _ subject: RemnantSubject, _ view: Database) {
        (self.search, self.subject) = (search, subject)
        reader = view.snapshot()
        newest = search.newest.database.snapshot()
        digest = ContentDigest(reader, links: .stored)
        newestDigest = ContentDigest(newest, links: .stored)
        walks = RemnantWalkBudget(bytes: search.space.limit)
    }

    func rows(of piece: RemnantPiece) -> RemnantRows {
        walks.begin(reader, newest)
        defer { walks.end(reader, newest) }
        var rows = RemnantRows(piece, NewestObjects(search.newest, subject.info, newest))
        let (own, other) = (digest, newestDigest)
        rows.compare(subject.isOrphan ? 0 : subject.info.columns.count, reader.schema) { (a, b) in
            try? RemnantValues.areSame(a, b, own, other)
        }
        return rows
    }
}
