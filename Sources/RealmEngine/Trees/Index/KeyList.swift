/// A list of object keys in a search index: a B+tree of integers (object format 5.4).
struct KeyList {
    private let space: NodeSpace
    private let root: Ref
    /// Range of indexes that `visit` and `append` visit.
    private let part: Range<Int>

    init(_ space: NodeSpace, _ root: Ref, _ part: Range<Int> = 0..<Int.max) {
        self.space = space
        self.root = root
        self.part = part
    }

    /// Number of keys in the whole list, read from the root.
    func count() throws(RealmError) -> Int {
        try BPlusTree(space: space, root: root).count { (ref) throws(RealmError) in
            let count = try space.integers(ref, "index list").count
            try space.chargeElements(count, at: ref)
            return count
        }
    }

    /// Key at index `i` of the whole list. `i` must be below `count`.
    func key(_ i: Int) throws(RealmError) -> ObjectKey {
        let (ref, start) = try BPlusTree(space: space, root: root).leaf(containing: i)
        let node = try space.integers(ref, "index list")
        guard i - start < node.count else { throw space.wrongShape(ref, "index list") }
        return ObjectKey(node.integer(i - start))
    }

    /// Calls `body` with batches of the keys at the indexes `part` of the list, until `body`
    /// returns false. Declared `dynamic` so that the compiler does not specialise the code for each
    /// closure.
    dynamic func visit(
        _ body: (UnsafeBufferPointer<Int64>) throws(RealmError) -> Bool
    ) throws(RealmError) {
        let scratch = LeafScratch()
        defer { withExtendedLifetime(scratch) {} }
        let keys = scratch.numbers
        var leaves = BPlusTree(space: space, root: root).leaves()
        var met = 0
        while let ref = try leaves.next() {
            let node = try space.integers(ref, "index list")
            try space.chargeElements(node.count, at: ref)
            met += node.count
            if let announced = leaves.announced, node.count == 0 || met > announced {
                throw miscounted(announced)
            }
            let start = met - node.count
            let wanted = part.clamped(to: start..<met)
            for first in stride(
                from: wanted.lowerBound, to: wanted.upperBound, by: ClusterRows.maximum)
            {
                let count = min(ClusterRows.maximum, wanted.upperBound - first)
                IntegerKernels.decode(node, first: first - start, count: count, into: keys)
                guard try body(UnsafeBufferPointer(start: keys, count: count)) else { return }
            }
        }
        if let announced = leaves.announced, announced != met { throw miscounted(announced) }
    }

    /// Appends the keys at the indexes `part` of the list, in stored order.
    func append(to keys: inout [ObjectKey]) throws(RealmError) {
        try visit { (part) throws(RealmError) in
            keys.append(contentsOf: part.lazy.map { ObjectKey($0) })
            return true
        }
    }

    /// Whether the keys ascend and all belong to objects of `table`. This holds for every undamaged
    /// list of objects with equal values; if it does, the keys need no other checks.
    func isSound(in table: ClusterTree) throws(RealmError) -> Bool {
        var isSound = true
        var last: Int64 = -1
        var leaf: ClusterLeaf?
        try visit { (part) throws(RealmError) in
            for key in part {
                guard key > last else {
                    isSound = false
                    return false
                }
                last = key
                if leaf?.row(of: ObjectKey(key)) != nil { continue }
                leaf = try table.find(ObjectKey(key))?.leaf
                if leaf == nil {
                    isSound = false
                    return false
                }
            }
            return true
        }
        return isSound
    }

    @inline(never)
    private func miscounted(_ announced: Int) -> RealmError {
        .corrupt("an index list with an empty leaf or not \(announced) keys", at: root)
    }
}
