/// A list of object keys in a search index: a B+tree of integers (object format 5.4).
struct KeyList {
    private let space: NodeSpace
    private let root: Ref

    init(_ space: NodeSpace, _ root: Ref) {
        self.space = space
        self.root = root
    }

    /// Number of keys, from the root alone.
    func count() throws(RealmError) -> Int {
        try BPlusTree(space: space, root: root).count { (ref) throws(RealmError) in
            let count = try space.integers(ref, "index list").count
            try space.chargeElements(count, at: ref)
            return count
        }
    }

    /// Key `i`, which is below `count`.
    func key(_ i: Int) throws(RealmError) -> ObjectKey {
        let (ref, start) = try BPlusTree(space: space, root: root).leaf(containing: i)
        let node = try space.integers(ref, "index list")
        guard i - start < node.count else { throw space.wrongShape(ref, "index list") }
        return ObjectKey(node.integer(i - start))
    }

    /// Calls `body` with the keys, some at a time, until it returns false.
    func visit(
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
            for first in stride(from: 0, to: node.count, by: ClusterRows.maximum) {
                let count = min(ClusterRows.maximum, node.count - first)
                IntegerKernels.decode(node, first: first, count: count, into: keys)
                guard try body(UnsafeBufferPointer(start: keys, count: count)) else { return }
            }
        }
        if let announced = leaves.announced, announced != met { throw miscounted(announced) }
    }

    /// Appends all keys, in stored order.
    func append(to keys: inout [ObjectKey]) throws(RealmError) {
        try visit { (part) throws(RealmError) in
            keys.append(contentsOf: part.lazy.map { ObjectKey($0) })
            return true
        }
    }

    /// Whether the keys ascend, and each is of an object of `table`: what a list of objects with
    /// equal values is in a sound file. It may be read as it is then.
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
