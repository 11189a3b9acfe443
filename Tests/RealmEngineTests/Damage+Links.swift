@testable import EngineSupport
@testable import RealmEngine

/// Damage to links, backlinks and indexes.
extension Damage {
    static let links: [Damage] = [
        Damage(.linkTarget, "query/orders", also: [.backlinkExtra]) {
            link($0, "class_Order", "prev").integers[row($0, "class_Order", "prev")] = 1000
        },
        Damage(.backlinkMissing, "query/orders") { tree in
            let cells = tree.backlinks("class_Order", of: "prev", in: "class_Order")
            cells.slots = cells.slots.map { _ in .raw(0) }
        },
        Damage(.backlinkExtra, "query/orders") { tree in
            let leaf = link(tree, "class_Order", "prev")
            leaf.integers[row(tree, "class_Order", "prev")] = 0
        },
        Damage(.backlinkStale, "query/anyval") { tree in
            let leaf = tree.backlinkIndex("class_Item", of: "v", in: "class_Slot")
            let cells = tree.cluster("class_Item")[1 + leaf]
            let free = cells.slots.firstIndex { if case .raw(0) = $0 { true } else { false } }
            cells.slots[free ?? 0] = .raw(0 << 1 | 1)
        },
        Damage(.backlinkForm, "query/orders") { tree in
            let cells = tree.backlinks("class_Order", of: "prev", in: "class_Order")
            let i = cells.slots.firstIndex {
                if case .raw(let raw) = $0 { raw & 1 != 0 } else { false }
            }!
            cells.slots[i] = .child(TreeNode([Int64(cells.tag(i))]))
        },
        Damage(.backlinkOrphan, "query/anyval", also: [.linkTarget]) { tree in
            let leaf = tree.backlinkIndex("class_Item", of: "v", in: "class_Slot")
            tree.table("class_Item")[7].integers[leaf] = 77
        },
        Damage(
            .tombstoneLink, "query/orders", also: [.tombstoneUnlinked, .backlinkExtra]
        ) { addTombstones($0, linked: true) },
        Damage(.tombstoneUnlinked, "query/orders") { addTombstones($0, linked: false) },
        Damage(.embeddedParent, "query/social") { tree in
            let leaf = link(tree, "class_Person", "address")
            let row = row(tree, "class_Person", "address")
            let target = Int(leaf.integers[row]) - 1
            leaf.integers[row] = 0
            tree.backlinks("class_Address", of: "address", in: "class_Person").slots[target] = .raw(
                0)
        },
        Damage(.linkContext, "query/social", "missing", also: [.linkTarget, .backlinkExtra]) {
            $0.collection("class_Person", "friends").integers[0] = -9
        },
        Damage(.nullInRequired, "query/social", "link", also: [.backlinkExtra]) {
            $0.collection("class_Person", "friends").integers[0] = -1
        },
        Damage(.backlinkExtra, "objects/all-types-2-compacted", "two thousand objects") { tree in
            let leaf = tree.leaf("class_All", "lnk")
            leaf.integers = leaf.integers.map { _ in 0 }
        },
    ]

    private static func link(_ tree: FileTree, _ table: String, _ column: String) -> TreeNode {
        tree.leaf(table, column)
    }

    /// Returns the first row with a link.
    private static func row(_ tree: FileTree, _ table: String, _ column: String) -> Int {
        tree.leaf(table, column).integers.firstIndex { $0 > 0 }!
    }

    /// Adds tombstones to the regions: copies of their objects without backlinks.
    private static func addTombstones(_ tree: FileTree, linked: Bool) {
        let copy = tree.cluster("class_Region").copy()
        let keys = TreeNode([-9, -8, -7])
        keys.width = 64
        copy[0] = keys
        let lead = copy[1 + tree.key("class_Region", "lead").leafIndex]
        lead.integers = linked ? [1, 0, 0] : [0, 0, 0]
        for column in tree.table("class_Region")[8].integers.enumerated() {
            guard ColumnKey(column.element).typeNumber == 12 else { continue }
            copy[1 + column.offset].slots = [.raw(0), .raw(0), .raw(0)]
        }
        tree.table("class_Region")[13] = copy
    }

    static let indexes: [Damage] = [
        Damage(.indexMissing, "query/bulk") { tree in
            tree.table("class_Node")[4].slots[tree.key("class_Node", "kx").leafIndex] = .raw(0)
        },
        Damage(.primaryKey, "query/bulk", "without an index") { tree in
            tree.table("class_Node")[4].slots[tree.key("class_Node", "id").leafIndex] = .raw(0)
        },
        Damage(.indexUnexpected, "query/bulk") { tree in
            tree.spec("class_Node")[2].integers[tree.position("class_Node", "kx")] = 0
        },
        Damage(.indexType, "query/types") { tree in
            let indexes = tree.table("class_Row")[4]
            let position = tree.position("class_Row", "d")
            tree.spec("class_Row")[2].integers[position] |= 1
            let source = tree.key("class_Row", "ix").leafIndex
            indexes[tree.key("class_Row", "d").leafIndex] = indexes[source].copy()
        },
        Damage(.indexShape, "query/types", "context") {
            $0.index("class_Row", "id").flags &= ~0x20
        },
        Damage(.indexShape, "query/types", "wide keys") {
            $0.index("class_Row", "id")[0].width = 64
        },
        Damage(.indexShape, "query/types", "a key too many") {
            $0.index("class_Row", "id")[0].integers.append(0x7FFF_FFFF)
        },
        Damage(.indexShape, "query/types", "an entry of 0") {
            $0.index("class_Row", "id").slots[1] = .raw(0)
        },
        Damage(.indexOrder, "query/types", also: [.indexMismatch]) {
            $0.index("class_Row", "id")[0].integers.swapAt(0, 1)
        },
        Damage(.indexOrder, "query/bulk", "inner key", also: [.indexMismatch]) { tree in
            let root = tree.index("class_Node", "id")
            root[0].integers[0] += 1
        },
        Damage(.indexMismatch, "query/types") { $0.index("class_Row", "id").slots.swapAt(1, 2) },
        Damage(
            .indexMissingObject, "query/types", also: [.indexExtraObject, .indexMismatch]
        ) { tree in
            let root = tree.index("class_Row", "id")
            root.slots[1] = root.slots[2]
        },
        Damage(.indexExtraObject, "query/types", also: [.indexMissingObject]) {
            $0.index("class_Row", "id").setTag(1, 1000)
        },
        Damage(.indexStale, "query/anyval") { tree in
            let root = tree.index("class_Slot", "vx")
            let singles = root.slots.indices.filter { root.tagOrZero($0) != nil }
            root.slots.swapAt(singles[0], singles[1])
        },
        Damage(.indexList, "query/types", "empty", also: [.indexMissingObject]) {
            $0.index("class_Row", "id").slots[1] = .child(TreeNode([]))
        },
        Damage(.indexList, "query/orders", "different values") { tree in
            setNames(tree, ["abcd1", "abcd2", "b", "c", "d"])
            setIndex(tree, list: [0, 1], prefix: "abcd", depth: 1)
        },
        Damage(.indexListOrder, "query/types") {
            $0.firstList("class_Row", "bx").integers.reverse()
        },
        Damage(.indexListOrder, "query/text", "words") {
            $0.firstList("class_Note", "body").integers.reverse()
        },
        Damage(.indexListOrderLegacy, "query/orders") { tree in
            let prefix = String(repeating: "abcd", count: 51)
            setNames(tree, [prefix + "2", prefix + "1", "b", "c", "d"])
            setIndex(tree, list: [0, 1], prefix: "abcd", depth: 51)
        },
        Damage(.indexShape, "query/orders", "too deep") { tree in
            let prefix = String(repeating: "abcd", count: 60)
            setNames(tree, [prefix + "1", prefix + "2", "b", "c", "d"])
            setIndex(tree, list: [0, 1], prefix: "abcd", depth: 55)
        },
        Damage(.indexMissingObject, "query/text", "a word", also: [.indexExtraObject]) { tree in
            let leaf = tree.nodes(below: tree.index("class_Note", "body")) {
                $0.slots.count > 1 && $0.tagOrZero(1) != nil
            }[0]
            leaf.setTag(1, leaf.tag(1) == 3 ? 4 : 3)
        },
    ]

    /// Replaces the names of the customers.
    private static func setNames(_ tree: FileTree, _ names: [String]) {
        let blobs = names.map { name in
            TreeNode.Slot.child(
                TreeNode(flags: 0x11, .bytes(Array(name.utf8) + [0], count: name.utf8.count + 1)))
        }
        tree.replaceLeaf("class_Customer", "name", with: TreeNode(refs: blobs, context: true))
    }

    private static func indexNode(_ chunks: [Int64], _ entries: [TreeNode.Slot]) -> TreeNode {
        let keys = TreeNode(chunks)
        keys.width = 32
        return TreeNode(refs: [.child(keys)] + entries, context: true)
    }

    private static func chunk(_ text: String) -> Int64 {
        var bytes = Array(text.utf8)
        return bytes.withUnsafeMutableBytes {
            Int64(IndexString(ByteView($0.baseAddress!, count: $0.count)).chunk(at: 0))
        }
    }

    /// Replaces the index of the names by one whose first names share a list below `depth` equal
    /// chunks; the other names are `b`, `c` and `d`.
    private static func setIndex(_ tree: FileTree, list: [Int64], prefix: String, depth: Int) {
        var slot = TreeNode.Slot.child(TreeNode(list))
        for _ in 1..<depth { slot = .child(indexNode([chunk(prefix)], [slot])) }
        let singles = [2, 3, 4].map { TreeNode.Slot.raw(UInt64($0) << 1 | 1) }
        let root = indexNode(
            [chunk(prefix), chunk("b"), chunk("c"), chunk("d")], [slot] + singles)
        tree.table("class_Customer")[4][tree.key("class_Customer", "name").leafIndex] = root
    }
}

extension FileTree {
    /// Returns the first list of object keys in an index.
    fileprivate func firstList(_ table: String, _ column: String) -> TreeNode {
        nodes(below: index(table, column)) { node in
            node.flags == 0 && node.width != 32 && node.count > 1
        }[0]
    }
}
