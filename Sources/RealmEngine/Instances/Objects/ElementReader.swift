/// Reads a list or set by position and a dictionary by key, and changes their elements.
///
/// Keeps the leaf read last, so that the elements beside it are read without a search as long as the instance
/// shows the same version and its write transaction changes nothing. While the transaction changes nothing else
/// than the collection, it is read and changed as the transaction has it open (`CollectionEdit`).
///
/// Confined as the instance is, and not for frozen instances, which many threads may read.
package final class ElementReader {
    let instance: Instance
    private var leaf: ColumnLeaf?
    /// The leaf, if its elements are integers that are never null.
    @exclusivity(unchecked) private var integers: NodeView?
    /// Positions of the leaf's elements.
    @exclusivity(unchecked) private var range = 0..<0
    /// Number of elements of the collection.
    private var total = 0
    /// State of the instance when the leaf was read.
    @exclusivity(unchecked) private var moment: Instance.Moment?

    /// Keys and values of the dictionary read last, and the state of the instance then.
    @exclusivity(unchecked) var entries: (halves: CollectionHandle.Halves, moment: Instance.Moment)?
    /// The `CollectionEdit.number` of the collection's open edit; 0 before the first change.
    @exclusivity(unchecked) var editNumber = 0

    package init(_ instance: Instance) { self.instance = instance }

    @inline(__always) private var isCurrent: Bool { moment == instance.moment }

    /// The integer at a position if that is in the leaf read last; otherwise nil.
    package func integer(at position: Int) -> Int64? {
        if let integers, range.contains(position), isCurrent {
            return integers.integer(position &- range.lowerBound)
        }
        return editNumber == 0 ? nil : openInteger(at: position)
    }

    /// The element at a position if that is in the leaf read last; otherwise nil.
    package func element(at position: Int) throws(RealmError) -> Value? {
        if range.contains(position), isCurrent {
            return try leaf?.value(position &- range.lowerBound)
        }
        return editNumber == 0 ? nil : try openElement(at: position)
    }

    /// Number of elements if that is known; otherwise nil.
    package var count: Int? { moment != nil && isCurrent ? total : openCount }

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
