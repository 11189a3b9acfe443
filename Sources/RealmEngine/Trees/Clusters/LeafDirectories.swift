import Synchronization

/// Bytes that may still be spent on what is kept for one version. Free to cross threads.
final class MemoryAllowance: Sendable {
    private let bytes: Atomic<Int>

    init(_ bytes: Int) { self.bytes = Atomic(bytes) }

    var left: Int { bytes.load(ordering: .relaxed) }

    /// Spends `count` bytes; false, and nothing spent, when there are not so many left.
    func take(_ count: Int) -> Bool {
        if bytes.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
        bytes.add(count, ordering: .relaxed)
        return false
    }
}

/// The leaf directories of one version, made for tables that are visited as a whole more than once.
/// Dropped with the version. Free to cross threads; the mutex is held while a directory is made.
final class LeafDirectories: Sendable {
    /// What the directories of one version may take: enough for tens of millions of objects.
    static let maximumBytes = 32 << 20

    private let tables = LockedValue<[TableKey: Entry]>([:])
    private let allowance: MemoryAllowance

    private enum Entry {
        /// Once: a single visit is not worth what keeping the leaves costs.
        case visited
        case kept(LeafDirectory)
        /// Damaged or too large.
        case refused
    }

    init(maximumBytes: Int = LeafDirectories.maximumBytes) {
        allowance = MemoryAllowance(maximumBytes)
    }

    /// The leaves of `table` at `root`, which is about to be visited as a whole; nil when it has to
    /// be walked over.
    func forVisit(of table: TableKey, _ root: Ref, _ space: NodeSpace) -> LeafDirectory? {
        tables.withLock { tables in
            switch tables[table] {
            case .kept(let directory): return directory
            case .refused: return nil
            case nil:
                tables[table] = .visited
                return nil
            case .visited:
                let directory = LeafDirectory(root: root, space, allowance)
                tables[table] = directory.map(Entry.kept) ?? .refused
                return directory
            }
        }
    }
}
