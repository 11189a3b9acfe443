import Synchronization

/// Number of bytes that the caches of one version may still allocate. Free to cross threads.
final class MemoryAllowance: Sendable {
    private let bytes: Atomic<Int>

    init(_ bytes: Int) { self.bytes = Atomic(bytes) }

    var left: Int { bytes.load(ordering: .relaxed) }

    /// Reserves `count` bytes. If fewer are left, reserves nothing and returns false.
    func take(_ count: Int) -> Bool {
        if bytes.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
        bytes.add(count, ordering: .relaxed)
        return false
    }
}

/// Leaf directories of one version, one for each table that is scanned more than once. They are
/// freed with the version. Free to cross threads; the mutex is held while a directory is built.
final class LeafDirectories: Sendable {
    /// Limit in bytes for all leaf directories of one version, enough for tens of millions of
    /// objects.
    static let maximumBytes = 32 << 20

    private let tables = LockedValue<[TableKey: Entry]>([:])
    private let allowance: MemoryAllowance

    private enum Entry {
        /// The table was scanned once. The second scan builds the directory, since a single scan
        /// would not gain from it.
        case visited
        case kept(LeafDirectory)
        /// No leaf directory can be built, because the tree is damaged or too large.
        case refused
    }

    init(maximumBytes: Int = LeafDirectories.maximumBytes) {
        allowance = MemoryAllowance(maximumBytes)
    }

    /// Returns the leaf directory of `table`, whose root is `root`, for a full scan. Returns nil if
    /// the scan must walk the tree.
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
