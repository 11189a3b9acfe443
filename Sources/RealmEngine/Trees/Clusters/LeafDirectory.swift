/// A leaf of one column, opened in the form that vectorised scans read, and cached for later
/// queries.
protocol CachedLeaf: BitwiseCopyable {
    /// Opens a leaf; returns nil if it is stored in another form than this type reads.
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout
    ) throws(RealmError) -> Self?

    /// Number of values in the leaf. Some leaves store an extra element for null, as `layout` says.
    func count(_ layout: LeafLayout) -> Int

    /// Returns the same leaf for reading in another space.
    func reading(in space: NodeSpace) -> Self
}

extension CachedLeaf {
    /// Opens the column leaf of a cluster leaf with `rows` objects. Throws `corrupt` if their
    /// counts differ.
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) -> Self? {
        guard let leaf = try opened(space, ref, layout) else { return nil }
        let count = leaf.count(layout)
        guard count == rows else {
            throw .corrupt("a column leaf of \(count) values among \(rows) objects", at: ref)
        }
        return leaf
    }

    @inline(__always)
    func reading(in space: NodeSpace) -> Self { self }
}

/// All leaves of one table in one version. They are found and checked once; later queries neither
/// walk the tree nor read headers of nodes.
///
/// A version is immutable, so the checks stay valid. The leaves of a column are added on first use.
/// Free to cross threads; the mutex protects the columns and is held while a column is opened.
final class LeafDirectory: @unchecked Sendable {
    /// Leaves in table order. A reader copies a leaf and replaces the copy's `space`.
    let leaves: UnsafeBufferPointer<ClusterLeaf>
    private let allowance: MemoryAllowance
    private let columns = LockedValue<[Int: Column]>([:])
    /// Read context in which the leaves of columns are opened, while the mutex of `columns` is
    /// held.
    private let memory: ReadContext

    private struct Column: @unchecked Sendable {
        let layout: LeafLayout
        /// One opened leaf for each cluster leaf; nil if the column is damaged, too large, or
        /// stored in a form that is not cached.
        let leaves: UnsafeMutableRawPointer?
    }

    /// Finds all leaves. Returns nil if the tree is damaged or the memory limit is reached.
    init?(root: Ref, _ space: NodeSpace, _ allowance: MemoryAllowance) {
        let memory = ReadContext(space)
        var found: ContiguousArray<ClusterLeaf> = []
        do throws(RealmError) {
            var walk = ClusterTree(space: memory.walk, root: root).leaves()
            while var leaf = try walk.next() {
                leaf.place = found.count
                found.append(leaf)
                let size = found.count &* MemoryLayout<ClusterLeaf>.stride
                guard size <= allowance.left else { return nil }
            }
        } catch { return nil }
        guard allowance.take(found.count &* MemoryLayout<ClusterLeaf>.stride) else { return nil }
        let copy = UnsafeMutableBufferPointer<ClusterLeaf>.allocate(capacity: found.count)
        _ = copy.initialize(from: found)
        leaves = UnsafeBufferPointer(copy)
        self.memory = memory
        self.allowance = allowance
    }

    deinit {
        leaves.deallocate()
        columns.withLock { for column in $0.values { column.leaves?.deallocate() } }
    }

    var count: Int { leaves.count }

    /// Returns all leaves of a column, opened as `Leaf`, in the order of `leaves`. Nil if the
    /// caller must open the leaves one by one.
    ///
    /// The directory owns the result and frees it when it is released. All calls for a column must
    /// pass the same `form`.
    func leaves<Leaf: CachedLeaf>(
        _ leafIndex: Int, _ layout: LeafLayout, _ form: Leaf.Type = Leaf.self
    ) -> UnsafePointer<Leaf>? {
        let column = columns.withLock { columns in
            if let known = columns[leafIndex] { return known }
            let leaves = opened(leafIndex, layout, form)
            let column = Column(layout: layout, leaves: leaves.map { UnsafeMutableRawPointer($0) })
            columns[leafIndex] = column
            return column
        }
        // In a damaged file, two properties of different types may claim the same column.
        guard column.layout.isStored(like: layout) else { return nil }
        return column.leaves.map { UnsafePointer($0.assumingMemoryBound(to: form)) }
    }

    /// Opens every leaf of a column; returns nil if one cannot be opened or the memory limit is
    /// reached.
    private func opened<Leaf: CachedLeaf>(
        _ leafIndex: Int, _ layout: LeafLayout, _ form: Leaf.Type
    ) -> UnsafeMutablePointer<Leaf>? {
        guard allowance.take(count &* MemoryLayout<Leaf>.stride) else { return nil }
        let found = UnsafeMutablePointer<Leaf>.allocate(capacity: max(1, count))
        memory.walk.resetBudget()
        do throws(RealmError) {
            for (i, leaf) in leaves.enumerated() {
                let ref = try leaf.columnRef(leafIndex)
                let opened = try form.opened(memory.walk, ref, layout, rows: leaf.count)
                guard let opened else {
                    found.deallocate()
                    return nil
                }
                (found + i).initialize(to: opened)
            }
        } catch {
            found.deallocate()
            return nil
        }
        return found
    }
}

extension LeafLayout {
    fileprivate func isStored(like other: LeafLayout) -> Bool {
        type == other.type && isNullable == other.isNullable && collection == other.collection
    }
}
