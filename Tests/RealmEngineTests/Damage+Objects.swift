@testable import EngineSupport
@testable import RealmEngine

/// Damage to clusters and column leaves.
extension Damage {
    /// Findings about links and indexes that follow from changed object keys.
    private static let rekeyed: Set<IntegrityReport.Code> = [
        .linkTarget, .backlinkExtra, .backlinkMissing, .indexMissingObject, .indexExtraObject,
        .indexMismatch,
    ]

    /// Replaces the keys of a table's first cluster.
    private static func setKeys(_ tree: FileTree, _ table: String, _ keys: [Int64], width: Int) {
        let array = TreeNode(keys)
        array.width = width
        tree.cluster(table)[0] = array
    }

    static let clusters: [Damage] = [
        Damage(.clusterShape, "query/bulk", "a missing child") {
            $0.table("class_Node")[2].slots[4] = .raw(0)
        },
        Damage(.clusterShape, "query/orders", "too many objects") {
            $0.cluster("class_Order").setTag(0, 300)
        },
        Damage(.clusterDepth, "query/bulk") { $0.table("class_Node")[2].setTag(1, 2) },
        Damage(.clusterOrder, "query/orders", "keys", also: rekeyed) {
            setKeys($0, "class_Region", [0, 2, 1], width: 8)
        },
        Damage(.clusterOrder, "query/bulk", "offsets", also: rekeyed.union([.clusterRange])) {
            let offsets = TreeNode([0, 256, 200, 768, 1024])
            offsets.width = 16
            $0.table("class_Node")[2][0] = offsets
        },
        Damage(.clusterOrder, "query/bulk", "first offset", also: rekeyed) {
            let offsets = TreeNode([8, 264, 520, 776, 1032])
            offsets.width = 16
            $0.table("class_Node")[2][0] = offsets
        },
        Damage(.clusterRange, "query/bulk", also: rekeyed) {
            setKeys($0, "class_Node", Array(0..<255) + [300], width: 16)
        },
        Damage(.clusterCount, "query/bulk") { $0.table("class_Node")[2].setTag(2, 1) },
        Damage(.clusterEmpty, "query/bulk", also: rekeyed.union([.clusterCount])) { tree in
            let root = tree.table("class_Node")[2]
            let empty = root[root.count - 1]
            empty.setTag(0, 0)
            for leaf in empty.children {
                switch leaf.content {
                case .slots: leaf.content = leaf.count == 3 ? .bytes([], count: 0) : .slots([])
                case .integers: leaf.integers = []
                case .bytes: leaf.content = .bytes([], count: 0)
                }
                if case .bytes = leaf.content, leaf.flags & 0x40 != 0 { leaf.flags = 0x08 }
            }
        },
        Damage(.clusterHole, "query/orders") { tree in
            tree.cluster("class_Region").slots.append(.child(TreeNode([])))
        },
        Damage(.keyWidth, "query/orders") { setKeys($0, "class_Region", [0, 1, 2], width: 2) },
        Damage(.objectKey, "query/orders", also: rekeyed) {
            setKeys($0, "class_Region", [0, 1, -7], width: 64)
        },
        Damage(.columnMissing, "query/orders") { tree in
            let cluster = tree.cluster("class_Order")
            cluster.slots[1 + tree.key("class_Order", "total").leafIndex] = .raw(0)
        },
        Damage(.columnMissing, "query/orders", "backlinks") { tree in
            let leaf = tree.backlinkIndex("class_Order", of: "prev", in: "class_Order")
            tree.cluster("class_Order").slots[1 + leaf] = .raw(0)
        },
        Damage(.columnCount, "query/orders", "integers") {
            $0.leaf("class_Order", "qty").integers.removeLast()
        },
        Damage(.columnCount, "query/orders", "lists") {
            $0.leaf("class_Order", "lines").slots.append(.raw(0))
        },
        Damage(.columnCount, "query/orders", "backlinks") {
            $0.backlinks("class_Order", of: "prev", in: "class_Order").slots.append(.raw(0))
        },
    ]

    static let leaves: [Damage] = numbers + strings + mixed

    private static let numbers: [Damage] = [
        Damage(.leafShape, "query/types", "a float") {
            $0.replaceLeaf("class_Row", "f", with: TreeNode([1, 2]))
        },
        Damage(.leafShape, "query/types", "width of a double", also: [.leakedSpace, .nodeEnd]) {
            $0.leaf("class_Row", "d").flags = 0x0B
        },
        Damage(.leafShape, "query/types", "no whole id") {
            $0.leaf("class_Row", "oid").bytes.removeLast()
        },
        Damage(.leafShape, "query/types", "no null marker") {
            $0.replaceLeaf("class_Row", "oi", with: TreeNode([]))
        },
        Damage(.nullMarker, "query/orders") { $0.leaf("class_Order", "qty").integers[0] -= 1 },
        Damage(.nullMarker, "query/orders", "of seconds") {
            $0.leaf("class_Order", "placed")[0].integers[0] -= 1
        },
        Damage(.boolValue, "query/types") { $0.leaf("class_Row", "b").integers[0] = 2 },
        Damage(.nullInRequired, "query/types", "bool") {
            $0.leaf("class_Row", "b").integers[0] = 3
        },
        Damage(.nullInRequired, "query/types", "id") { $0.leaf("class_Row", "oid").bytes[0] |= 1 },
        Damage(.nullInRequired, "query/types", "double") { tree in
            let null = DoubleLeaf.nullBits
            for i in 0..<8 {
                tree.leaf("class_Row", "d").bytes[i] = UInt8(
                    truncatingIfNeeded: null >> UInt64(8 * i))
            }
        },
        Damage(.timestampForm, "query/types", "nanoseconds", also: [.unreadable]) {
            $0.leaf("class_Row", "t")[1].integers[0] = 2_000_000_000
        },
        Damage(.timestampForm, "query/types", "too few") {
            $0.leaf("class_Row", "t")[1].integers.removeLast()
        },
        Damage(.decimalForm, "query/types", "special") { tree in
            let leaf = tree.leaf("class_Row", "dec")
            leaf.flags = 0x0B
            leaf.content = .bytes(
                [0, 0, 0, 0x78] + [UInt8](repeating: 0, count: 44), count: 12)
        },
        Damage(.decimalForm, "query/orders", "in format 23") { tree in
            tree.format = 23
            let leaf = tree.leaf("class_Order", "tax")
            leaf.flags = 0x0B
            leaf.content = .bytes([UInt8](repeating: 0, count: 64), count: 16)
        },
    ]

    private static let strings: [Damage] = [
        Damage(.stringForm, "query/types", "short: longer than its cell") {
            $0.replaceLeaf("class_Row", "os", with: short([4, 4, 4, 9]))
        },
        Damage(.stringForm, "query/types", "short: padding") {
            $0.replaceLeaf("class_Row", "os", with: short([0, 0, 1, 2]))
        },
        Damage(.stringForm, "query/types", "medium: descending ends") {
            $0.replaceLeaf("class_Row", "os", with: medium(ends: [2, 1], bytes: 12))
        },
        Damage(.stringForm, "query/types", "medium: bytes left over") {
            $0.replaceLeaf("class_Row", "os", with: medium(ends: [], bytes: 13))
        },
        Damage(.stringForm, "query/types", "medium: no terminator") { tree in
            let leaf = medium(ends: [], bytes: 12)
            leaf[1].bytes[3] = 65
            tree.replaceLeaf("class_Row", "os", with: leaf)
        },
        Damage(.stringForm, "query/types", "medium: null flag") { tree in
            let leaf = medium(ends: [], bytes: 12)
            leaf[2].integers[3] = 2
            tree.replaceLeaf("class_Row", "os", with: leaf)
        },
        Damage(.stringForm, "query/types", "big: no terminator") { tree in
            let blob = TreeNode(flags: 0x11, .bytes([65], count: 1))
            let slots = [.child(blob)] + [TreeNode.Slot](repeating: .raw(0), count: 11)
            tree.replaceLeaf("class_Row", "os", with: TreeNode(refs: slots, context: true))
        },
        Damage(.leafShape, "query/types", "a string of numbers") {
            $0.replaceLeaf("class_Row", "os", with: TreeNode([Int64](repeating: 0, count: 12)))
        },
        Damage(.nullInRequired, "query/types", "string") {
            $0.replaceLeaf("class_Row", "s", with: short([0, 0, 0, 4]))
        },
        Damage(.stringUTF8, "query/types") {
            $0.replaceLeaf("class_Row", "os", with: short([0xFF, 0, 0, 2]))
        },
    ]

    /// Makes a leaf of twelve short strings: the first with these bytes, the others null.
    private static func short(_ cell: [UInt8]) -> TreeNode {
        let rest = (1..<12).flatMap { _ in [0, 0, 0, 3] as [UInt8] }
        return TreeNode(flags: 0x0B, .bytes(cell + rest, count: 12))
    }

    /// Makes a leaf of twelve empty strings with a terminator each; `ends` replaces the first end
    /// offsets.
    private static func medium(ends: [Int64], bytes: Int) -> TreeNode {
        let all = ends + (1...12).map(Int64.init).dropFirst(ends.count)
        return TreeNode(refs: [
            .child(TreeNode(all)),
            .child(
                TreeNode(flags: 0x11, .bytes([UInt8](repeating: 0, count: bytes), count: bytes))),
            .child(TreeNode([Int64](repeating: 0, count: 12))),
        ])
    }

    private static let mixed: [Damage] = [
        Damage(.mixedWord, "query/types", "unknown type") {
            mixedLeaf($0).integers[0] = 31
        },
        Damage(.mixedWord, "query/types", "bool") { mixedLeaf($0).integers[0] = 5 << 8 | 2 },
        Damage(.mixedPool, "query/types", "outside") {
            mixedLeaf($0).integers[0] = 99 << 8 | 3 << 5 | 3
        },
        Damage(.mixedPool, "query/types", "used twice") { tree in
            let words = mixedLeaf(tree)
            let pooled = words.integers.first { $0 >> 5 & 7 == 3 }!
            words.integers[words.integers.firstIndex { $0 >> 5 & 7 != 3 }!] = pooled
        },
        Damage(.mixedPool, "query/types", "left over") { tree in
            let words = mixedLeaf(tree)
            words.integers[words.integers.firstIndex { $0 >> 5 & 7 == 3 }!] = 0
        },
        Damage(.mixedPool, "query/types", "half a pair") { tree in
            tree.leaf("class_Row", "mx")[2].integers.append(7)
        },
    ]

    private static func mixedLeaf(_ tree: FileTree) -> TreeNode {
        tree.leaf("class_Row", "mx")[0]
    }
}
