/// Reads a list or set by position. Keeps the leaf read last, so that the elements beside it are read without
/// a search as long as the instance shows the same version and its write transaction changes nothing.
///
/// Confined as the instance is, and not for frozen instances, which many threads may read.
package final class ElementReader {
    private let instance: Instance
    private var leaf: ColumnLeaf?
    /// The leaf, if its elements are integers that are never null.
    @exclusivity(unchecked) private var integers: NodeView?
    /// Positions of the leaf's elements.
    @exclusivity(unchecked) private var range = 0..<0
    /// Number of elements of the collection.
    private var total = 0
    /// State of the instance when the leaf was read.
    @exclusivity(unchecked) private var moment: Instance.Moment?

    package init(_ instance: Instance) { self.instance = instance }

    @inline(__always) private var isCurrent: Bool { moment == instance.moment }

    /// The integer at a position if that is in the leaf read last; otherwise nil.
    package func integer(at position: Int) -> Int64? {
        guard let integers, range.contains(position), isCurrent else { return nil }
        return integers.integer(position &- range.lowerBound)
    }

    /// The element at a position if that is in the leaf read last; otherwise nil.
    package func element(at position: Int) throws(RealmError) -> Value? {
        guard range.contains(position), isCurrent else { return nil }
        return try leaf?.value(position &- range.lowerBound)
    }

    /// Number of elements if that is known; otherwise nil.
    package var count: Int? { moment != nil && isCurrent ? total : nil }

    /// Reads the leaf with a position. Nothing is kept of a collection that has hidden elements or is of
    /// mixed values, nor of dictionaries.
    package func read(_ position: Int, of handle: CollectionHandle) throws(RealmError) {
        (moment, range, integers) = (nil, 0..<0, nil)
        let view: CollectionView
        switch try handle.value() {
        case .list(let list): view = list
        case .set(let set): view = set
        default: return
        }
        let space = handle.space
        let type = view.element.type
        if view.root.isNone || type == .mixed { return }
        if type == .link, try space.node(view.root).context { return }
        let count = try ElementCursor.count(space, view)
        guard position >= 0, position < count else { return }
        let (ref, start) = try BPlusTree(space: space, root: view.root)
            .leaf(containing: position)
        let leaf = try ColumnLeaf(space, ref, element: view.element)
        guard start + leaf.count <= count else { return }
        self.leaf = leaf
        if case .integer(let leaf) = leaf { integers = leaf.node }
        (range, total, moment) = (start..<start + leaf.count, count, instance.moment)
    }
}

extension Instance {
    /// State of what an instance reads: with equal moments nothing has changed between them.
    struct Moment: Equatable {
        fileprivate let generation: Int
        fileprivate let changeCount: Int
    }

    /// Traps in the wrong place, as every use of the instance does.
    @inline(__always)
    var moment: Moment {
        check()
        return Moment(
            generation: lastGeneration,
            changeCount: generation == 0 ? transaction?.context.changeCount ?? 0 : 0)
    }
}
