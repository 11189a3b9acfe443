@testable import EngineSupport
@testable import RealmEngine

/// Damage to tables, specs and columns.
extension Damage {
    static let schema: [Damage] = directory + tops + specs + keys

    private static let directory: [Damage] = [
        Damage(.tableDirectory, "query/orders", "a slot too many") { tree in
            tree.tables.slots.append(.raw(1))
        },
        Damage(.tableDirectory, "query/orders", "slot 0", also: [.removedTableName]) { tree in
            tree.tables.slots[0] = .raw(0)
        },
        Damage(.unusedValue, "query/orders", "reuse tag", also: [.removedTableName]) { tree in
            tree.tables.setTag(0, 0x8000)
        },
        Damage(.tableName, "query/orders", "not UTF-8") { $0.names.bytes[0] = 0xFF },
        Damage(.tableName, "query/orders", "padding") { tree in
            let width = tree.names.bytes.count / tree.names.count
            tree.names.bytes[width - 2] = 1
        },
        Damage(.tableName, "query/orders", "longer than its cell") { tree in
            let width = tree.names.bytes.count / tree.names.count
            tree.names.bytes[width - 1] = 255
        },
        Damage(.tableName, "query/orders", "twice") { tree in
            let width = tree.names.bytes.count / tree.names.count
            let first = tree.names.bytes[0..<width]
            tree.names.bytes.replaceSubrange(width..<(2 * width), with: first)
        },
        Damage(.removedTableName, "query/orders") { $0.tables.setTag(0, 1) },
        Damage(.tableKey, "query/orders") { $0.table("metadata").setTag(3, 9) },
    ]

    private static let tops: [Damage] = [
        Damage(.unusedValue, "query/orders", "slot 1") { $0.table("metadata").setTag(1, 9) },
        Damage(.unusedValue, "query/orders", "15 slots") {
            $0.table("metadata").slots.append(.raw(0))
        },
        Damage(.unusedValue, "query/orders", "flags") { $0.table("metadata").setTag(12, 4) },
        Damage(.tableTop, "query/orders", "kind") { $0.table("metadata").setTag(12, 3) },
        Damage(.tableTop, "query/orders", "version") { $0.table("metadata").slots[6] = .raw(0) },
        Damage(.tableTop, "query/orders", "11 slots") { $0.table("metadata").slots.removeLast(3) },
        Damage(.tableTop, "query/orders", "no objects") { $0.table("metadata").slots[2] = .raw(0) },
        Damage(.tableTop, "query/orders", "too few opposites") {
            $0.table("metadata")[7].integers.removeLast()
        },
        Damage(.collisionMap, "query/orders", "order") { tree in
            tree.table("class_Order")[10] = TreeNode(refs: [
                .child(TreeNode([2, 1])), .child(TreeNode([0, 0])), .child(TreeNode([5, 6])),
            ])
        },
        Damage(.collisionMap, "query/orders", "unequal parts") { tree in
            tree.table("class_Order")[10] = TreeNode(refs: [
                .child(TreeNode([1])), .child(TreeNode([0, 0])), .child(TreeNode([5])),
            ])
        },
    ]

    private static let specs: [Damage] = [
        Damage(.spec, "query/orders", "unequal parts") {
            $0.spec("metadata")[0].integers.append(0)
        },
        Damage(.unusedValue, "query/orders", "slot 3 of a spec") {
            $0.spec("metadata").setTag(3, 1)
        },
        Damage(.spec, "query/orders", "slot 4") { $0.spec("metadata").setTag(4, 1) },
        Damage(.spec, "query/orders", "5 slots") { $0.spec("metadata").slots.removeLast() },
        Damage(
            .spec, "query/orders", "a property behind backlinks", also: [.columnName]
        ) { tree in
            // The order of columns has no other meaning.
            let spec = tree.spec("class_Region")
            for i in [0, 2, 5] {
                let last = spec[i].integers.count - 1
                spec[i].integers.swapAt(2, last)
            }
        },
        Damage(.columnName, "query/orders", "twice") { tree in
            let names = tree.spec("class_Order")[1]
            let width = names.bytes.count / names.count
            names.bytes.replaceSubrange(width..<(2 * width), with: names.bytes[0..<width])
        },
        Damage(.columnName, "query/orders", "too few") { tree in
            let names = tree.spec("metadata")[1]
            names.content = .bytes([], count: 0)
        },
        Damage(.columnKey, "query/orders", "unknown type") { tree in
            tree.spec("metadata")[5].integers[0] = 7 << 16
        },
        Damage(.unusedValue, "query/orders", "another type than the spec's") { tree in
            tree.spec("metadata")[0].integers[0] = 1
        },
        Damage(.columnKey, "query/orders", "a spec's backlinks") { tree in
            tree.spec("metadata")[0].integers[0] = 14
        },
        Damage(
            .columnKey, "query/orders", "leaf index twice",
            also: [.opposite, .backlinkOrphan, .linkTarget]
        ) { tree in
            tree.spec("class_Region")[5].integers[1] &= ~0xFFFF
        },
        Damage(.unusedValue, "query/orders", "dictionary keys") { tree in
            tree.spec("class_Order")[0].integers[0] = 2 << 16
        },
        Damage(.columnKey, "query/bags", "dictionary keys") { tree in
            tree.spec("class_Bag")[0].integers[tree.position("class_Bag", "d_i")] |= 5 << 16
        },
        Damage(.unusedValue, "query/orders", "attributes") { tree in
            tree.spec("class_Order")[2].integers[0] = 0x10
        },
        Damage(.columnAttributes, "query/social", "of links of type 13") { tree in
            let i = tree.position("class_Person", "friends")
            tree.spec("class_Person")[0].integers[i] = 13
            tree.spec("class_Person")[2].integers[i] ^= 0x10
        },
        Damage(.unusedValue, "query/text", "two kinds of index") { tree in
            tree.spec("class_Note")[2].integers[tree.position("class_Note", "body")] |= 1
        },
        Damage(.unusedValue, "query/orders", "opposite of no link") { tree in
            tree.table("metadata")[7].integers[0] = 1
        },
        Damage(.opposite, "query/orders", "of another column") { tree in
            let leaf = tree.key("class_Order", "prev").leafIndex
            let other = tree.key("class_Order", "customer").leafIndex
            let columns = tree.table("class_Order")[8]
            columns.integers[leaf] = columns.integers[other]
        },
        Damage(.opposite, "query/orders", "no table", also: [.linkTarget, .backlinkExtra]) { tree in
            let leaf = tree.key("class_Order", "prev").leafIndex
            tree.table("class_Order")[7].integers[leaf] = 99
        },
        Damage(
            .opposite, "query/social", "links to an asymmetric class"
        ) { $0.table("class_Company").setTag(12, 2) },
        Damage(
            .opposite, "query/social", "a set of embedded objects",
            also: [.embeddedParent, .primaryKey]
        ) { $0.table("class_Person").setTag(12, 1) },
        Damage(.enumeration, "objects/all-types-2-compacted") {
            $0.leaf("class_Idx", "en").integers[0] = 1000
        },
        Damage(.enumeration, "objects/all-types-2-compacted", "plain strings") { tree in
            let leaf = tree.leaf("class_Idx", "en")
            leaf.content = .bytes([], count: leaf.count)
            leaf.flags = 0x08
        },
    ]

    private static let keys: [Damage] = [
        Damage(.primaryKey, "query/orders", "no column", also: [.indexUnexpected]) {
            $0.table("class_Order").setTag(11, 5)
        },
        Damage(
            .primaryKey, "query/orders", "type",
            also: [.indexMissing, .indexUnexpected, .primaryKeyDuplicate]
        ) {
            $0.table("class_Order").setTag(11, UInt64($0.key("class_Order", "total").raw))
        },
        Damage(.primaryKey, "query/orders", "of an embedded class", also: [.embeddedParent]) {
            $0.table("class_Region").setTag(12, 1)
        },
        Damage(.primaryKeyDuplicate, "query/bulk", "without an index") { tree in
            tree.format = 21
            tree.table("class_Node")[4].slots[tree.key("class_Node", "id").leafIndex] = .raw(0)
            tree.leaf("class_Node", "id").integers[7] = 3
        },
        Damage(.primaryKeyDuplicate, "query/orders") { tree in
            let values = tree.leaf("class_Region", "rid")
            values.integers[1] = values.integers[0]
            let chunks = values.integers.map { Int64(IndexString($0).chunk(at: 0)) }
            let keys = TreeNode([chunks[0], chunks[2]].sorted())
            keys.width = 32
            let list = TreeNode.Slot.child(TreeNode([0, 1]))
            let single = TreeNode.Slot.raw(2 << 1 | 1)
            let root = TreeNode(
                refs: [.child(keys)] + (chunks[0] < chunks[2] ? [list, single] : [single, list]),
                context: true)
            tree.table("class_Region")[4][tree.key("class_Region", "rid").leafIndex] = root
        },
    ]
}
