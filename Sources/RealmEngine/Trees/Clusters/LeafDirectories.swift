import Synchronization

/// Remaining memory, in bytes, for the caches of one version. Free to cross threads.
final class MemoryAllowance: Sendable {
    private let bytes: Atomic<Int>

    init(_ bytes: Int) { self.bytes = Atomic(bytes) }

    var left: Int { bytes.load(ordering: .relaxed) }

    /// Reserves `count` bytes; returns false, without reserving any, if fewer are left.
    func take(_ count: Int) -> Bool {
        if bytes.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
        bytes.add(count, ordering: .relaxed)
        return false
    }
}

/// Leaf directories of one version, for tables that are scanned more than once. Freed with the
/// version. Free to cross threads; the mutex is held while a directory is built.
final class LeafDirectories: Sendable {
    /// Memory limit for the directories of one version, enough for tens of millions of objects.
    static let maximumBytes = 32 << 20

    private let tables = LockedValue<[TableKey: Entry]>([:])
    private let allowance: MemoryAllowance

    private enum Entry {
        /// Scanned once. A directory is built at the second scan, because for one scan it would not
        /// pay.
        case visited
        case kept(LeafDirectory)
        /// The tree is damaged or too large.
        case refused
    }

    init(maximumBytes: Int = LeafDirectories.maximumBytes) {
        allowance = MemoryAllowance(maximumBytes)
    }

    /// Returns the directory of `table` at `root` for a full scan; nil if the scan must walk the
    /// tree.
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
