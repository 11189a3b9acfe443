/// A leaf of a column in the form that kernels read, which is kept for later queries.
protocol CachedLeaf: BitwiseCopyable {
    /// Opens a leaf; nil when the column is not stored in this form.
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout
    ) throws(RealmError) -> Self?

    /// Values, of which `layout` tells where they begin.
    func count(_ layout: LeafLayout) -> Int

    /// The same leaf for another reader.
    func reading(in space: NodeSpace) -> Self
}

extension CachedLeaf {
    /// Opens the leaf of `rows` objects.
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

/// The leaves of one table of one version: found and checked once, so that the queries after the
/// first neither walk the tree nor look at a node's header again.
///
/// A version never changes while it is held, so what was checked stays true. Columns are added when
/// a query first asks for them. Free to cross threads; the mutex guards the list of columns and is
/// held while one is opened.
final class LeafDirectory: @unchecked Sendable {
    /// In table order; a reader puts a space of its own into what it takes.
    let leaves: UnsafeBufferPointer<ClusterLeaf>
    private let allowance: MemoryAllowance
    private let columns = LockedValue<[Int: Column]>([:])
    /// What the leaves were opened in. Used to open more, with the mutex held, and by nobody else.
    private let memory: ReadContext

    private struct Column: @unchecked Sendable {
        let layout: LeafLayout
        /// Its leaves in their order; nil when they are damaged, in no form that is kept, or too large.
        let leaves: UnsafeMutableRawPointer?
    }

    /// Nil when the tree is damaged or there is no memory left for it.
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

    /// The leaves of a column, as long as the directory lives; nil when they have to be opened one by
    /// one. A column is always asked for in the same form.
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
        // Damage can make two properties of one column.
        guard column.layout.isStored(like: layout) else { return nil }
        return column.leaves.map { UnsafePointer($0.assumingMemoryBound(to: form)) }
    }

    /// Opens every leaf of a column; nil when one cannot be, or there is no memory left.
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
