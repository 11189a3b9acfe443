/// Linear search for links and integers.
extension SequenceEditor {
    /// Elements of a collection that are links to given objects, and nested collections that may
    /// contain links to these objects.
    struct LinkMatches {
        /// Indexes of elements that are links to the objects searched for, in ascending order.
        var links: [Int] = []
        /// Indexes of elements that are nested collections, in ascending order.
        var collections: [Int] = []
    }

    /// Finds the links to `objects`, and nested collections that may contain links. Opens each leaf
    /// once.
    func links(to objects: LinkedObjects) throws(RealmError) -> LinkMatches {
        var matches = LinkMatches()
        if element.type == .link, element.target != objects.table { return matches }
        var leaves = tree.leaves()
        var start = 0
        while let ref = try leaves.next() {
            let leaf = try ColumnLeaf(nodes.space, ref, element: element)
            guard start + leaf.count <= count else {
                throw .corrupt("a B+tree of more elements than announced", at: ref)
            }
            switch leaf {
            case .linkElement(let links): Self.find(objects, links, start, &matches)
            case .mixed(let values): try Self.find(objects, values, start, &matches)
            default: break
            }
            start += leaf.count
        }
        return matches
    }

    private static func find(
        _ objects: LinkedObjects, _ leaf: LinkElementLeaf, _ start: Int,
        _ matches: inout LinkMatches
    ) {
        guard let single = objects.single else {
            for i in 0..<leaf.count where objects.contains(leaf.key(i)) {
                matches.links.append(start + i)
            }
            return
        }
        var i = 0
        while let found = IntegerKernels.firstIndex(of: single, leaf.node, in: i..<leaf.count) {
            matches.links.append(start + found)
            i = found + 1
        }
    }

    private static func find(
        _ objects: LinkedObjects, _ leaf: MixedLeaf, _ start: Int, _ matches: inout LinkMatches
    ) throws(RealmError) {
        for i in 0..<leaf.count where leaf.mayHoldLinks(i) {
            switch try leaf.value(i) {
            case .link(let link):
                if objects.contains(link) { matches.links.append(start + i) }
            case .list, .dictionary: matches.collections.append(start + i)
            default: break
            }
        }
    }

    /// Index of the first element within `range` that is the integer `number`; nil if there is
    /// none.
    func firstIndex(
        of number: Int64, in range: Range<Int>
    ) throws(RealmError) -> Int? {
        var i = range.lowerBound
        while i < range.upperBound {
            let (ref, start) = try tree.leaf(containing: i)
            let leaf = try nodes.integers(ref, "integer leaf")
            let end = min(range.upperBound - start, leaf.count)
            guard i - start < end else {
                throw .corrupt("a B+tree child of another size than announced", at: ref)
            }
            if let found = IntegerKernels.firstIndex(of: number, leaf, in: i - start..<end) {
                return start + found
            }
            i = start + end
        }
        return nil
    }
}
