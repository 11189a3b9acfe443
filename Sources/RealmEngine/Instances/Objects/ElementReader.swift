/// Reads a list or set by index and a dictionary by key, and changes their elements.
///
/// Caches the last leaf. Neighbouring elements are then read without a search, as long as the
/// instance's version and its write transaction do not change. While a transaction changes only
/// this collection, reads and changes use the transaction's open edit of it (`CollectionEdit`).
///
/// Confined like the instance. Must not be used for frozen instances, which several threads may
/// read.
package final class ElementReader {
    let instance: Instance
    private var leaf: ColumnLeaf?
    /// The cached leaf, if its elements are non-optional integers.
    @exclusivity(unchecked) private var integers: NodeView?
    /// Indexes of the cached leaf's elements in the collection.
    @exclusivity(unchecked) private var range = 0..<0
    /// Number of elements of the collection.
    private var total = 0
    /// State of the instance when the leaf was read.
    @exclusivity(unchecked) private var moment: Instance.Moment?

    /// Key and value lists of the dictionary, and the state of the instance when they were read.
    @exclusivity(unchecked) var entries: (halves: CollectionHandle.Halves, moment: Instance.Moment)?
    /// Number of the collection's open edit (`CollectionEdit.number`); 0 before the first change.
    @exclusivity(unchecked) var editNumber = 0

    package init(_ instance: Instance) { self.instance = instance }

    @inline(__always) private var isCurrent: Bool { moment == instance.moment }

    /// Returns the integer at an index of the collection, if it is in the cached leaf or in the
    /// open edit of the write transaction (`CollectionEdit`); otherwise nil.
    package func integer(at position: Int) -> Int64? {
        if let integers, range.contains(position), isCurrent {
            return integers.integer(position &- range.lowerBound)
        }
        return editNumber == 0 ? nil : openInteger(at: position)
    }

    /// Returns the element at an index of the collection, if it is in the cached leaf or in the
    /// open edit of the write transaction (`CollectionEdit`); otherwise nil.
    package func element(at position: Int) throws(RealmError) -> Value? {
        if range.contains(position), isCurrent {
            return try leaf?.value(position &- range.lowerBound)
        }
        return editNumber == 0 ? nil : try openElement(at: position)
    }

    /// Number of elements if it is cached; otherwise nil.
    package var count: Int? { moment != nil && isCurrent ? total : openCount }

    /// Caches the leaf that contains the element at `position`. Caches nothing for dictionaries,
    /// mixed values, and collections with unresolved links.
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
    /// State of the data that an instance shows. If two moments are equal, the data has not changed
    /// between them.
    struct Moment: Equatable {
        fileprivate let generation: Int
        fileprivate let changeCount: Int
    }

    /// The generation of the instance and the number of changes in its open write transaction. Two
    /// equal moments see equal data. Traps if the caller is in another context.
    @inline(__always)
    var moment: Moment {
        check()
        return Moment(
            generation: lastGeneration,
            changeCount: generation == 0 ? transaction?.context.changeCount ?? 0 : 0)
    }
}
