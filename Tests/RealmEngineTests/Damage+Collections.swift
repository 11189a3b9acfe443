@testable import EngineSupport
@testable import RealmEngine

/// Damage to B+trees, sets, dictionaries and nested collections.
extension Damage {
    static let collections: [Damage] = trees + sets + dictionaries + nested

    /// Replaces the first list of integers by a tree.
    private static func set(_ tree: FileTree, _ root: TreeNode) {
        tree.leaf("class_Bag", "l_i").slots[0] = .child(root)
    }

    private static func tag(_ value: Int) -> TreeNode.Slot { .raw(UInt64(value) << 1 | 1) }

    /// Makes an inner node with leaves of these sizes.
    private static func inner(_ sizes: [Int], first: TreeNode.Slot, total: Int) -> TreeNode {
        let leaves = sizes.map { TreeNode([Int64](repeating: 5, count: $0)) }
        return inner(leaves, first: first, total: total)
    }

    private static func inner(
        _ children: [TreeNode], first: TreeNode.Slot, total: Int
    ) -> TreeNode {
        TreeNode(
            refs: [first] + children.map { .child($0) } + [tag(total)], inner: true)
    }

    private static func offsets(_ values: [Int64], width: Int = 8) -> TreeNode.Slot {
        let node = TreeNode(values)
        node.width = width
        return .child(node)
    }

    private static let trees: [Damage] = [
        Damage(.treeShape, "query/bags", "no total") { tree in
            let root = inner([2], first: tag(2), total: 2)
            root.slots[2] = .raw(0)
            set(tree, root)
        },
        Damage(.treeShape, "query/bags", "a missing child") { tree in
            let root = inner([2, 2], first: tag(2), total: 4)
            root.slots[1] = .raw(0)
            set(tree, root)
        },
        Damage(.leafCount, "query/bags") { tree in
            tree.collection("class_Bag", "l_i").integers = Array(repeating: 0, count: 1001)
        },
        Damage(.treeTotal, "query/bags") { set($0, inner([2, 2], first: tag(2), total: 5)) },
        Damage(.treeCompact, "query/bags") { set($0, inner([2, 3, 1], first: tag(2), total: 6)) },
        Damage(.treeForm, "query/bags") { tree in
            let below = inner([2], first: offsets([]), total: 2)
            set(tree, inner([below], first: tag(2), total: 2))
        },
        Damage(.treeOffsets, "query/bags") {
            set($0, inner([2, 3, 1], first: offsets([2, 4]), total: 6))
        },
        Damage(.treeOffsets, "query/bags", "too few") {
            set($0, inner([2, 3, 1], first: offsets([2]), total: 6))
        },
        Damage(.keyWidth, "query/bags", "offsets") {
            set($0, inner([2, 3, 1], first: offsets([2, 5], width: 0), total: 6))
        },
        Damage(.treeDepth, "query/bags") { tree in
            let below = inner([2], first: offsets([]), total: 2)
            set(tree, inner([below, TreeNode([1])], first: offsets([2]), total: 3))
        },
        Damage(.treeDepth, "query/bags", "without end") { tree in
            var node = TreeNode([1])
            for _ in 0..<40 { node = inner([node], first: tag(1), total: 1) }
            set(tree, node)
        },
        Damage(.treeEmptyLeaf, "query/bags") {
            set($0, inner([2, 0], first: tag(2), total: 2))
        },
        Damage(.oversizedNode, "query/bags") {
            set($0, inner([1001], first: tag(1001), total: 1001))
        },
    ]

    private static func mixed(
        words: [Int64], numbers: [Int64] = [], pairs: [Int64] = [], refs: [TreeNode] = [],
        keys: [Int64] = []
    ) -> TreeNode {
        func part(_ integers: [Int64]) -> TreeNode.Slot {
            integers.isEmpty ? .raw(0) : .child(TreeNode(integers))
        }
        return TreeNode(refs: [
            .child(TreeNode(words)), part(numbers), part(pairs), .raw(0),
            refs.isEmpty ? .raw(0) : .child(TreeNode(refs: refs.map { .child($0) })), part(keys),
        ])
    }

    private static let sets: [Damage] = [
        Damage(.setOrder, "query/bags") {
            $0.leaf("class_Bag", "s_i").slots[0] = .child(TreeNode([3, 2]))
        },
        Damage(.setOrder, "query/bags", "equal") {
            $0.leaf("class_Bag", "s_i").slots[0] = .child(TreeNode([3, 3]))
        },
        Damage(.setOrder, "query/bags", "mixed: equal numbers") { tree in
            let one = Int64(bitPattern: (1.0).bitPattern)
            tree.leaf("class_Bag", "s_any").slots[0] = .child(
                mixed(words: [1 << 8 | 1, 1 << 5 | 11], numbers: [one]))
        },
        Damage(.setOrderFragile, "query/bags") { tree in
            let decimal = Decimal128(2)
            let pair = [Int64(bitPattern: decimal.low), Int64(bitPattern: decimal.high)]
            tree.leaf("class_Bag", "s_any").slots[0] = .child(
                mixed(
                    words: [2 << 5 | 12, 1 << 5 | 11],
                    numbers: [Int64(bitPattern: (1.5).bitPattern)], pairs: pair))
        },
        Damage(.linkContextUnneeded, "query/social") {
            $0.collection("class_Person", "friends").flags |= 0x20
        },
    ]

    /// Makes a dictionary of numbers with keys of one or two bytes.
    private static func dictionary(_ keys: [[UInt8]]) -> TreeNode {
        let cells = keys.flatMap { key in
            key + [UInt8](repeating: 0, count: 3 - key.count) + [UInt8(3 - key.count)]
        }
        return TreeNode(refs: [
            .child(TreeNode(flags: 0x0B, .bytes(cells, count: keys.count))),
            .child(mixed(words: keys.map { _ in 1 << 8 | 1 })),
        ])
    }

    private static func setDictionary(_ tree: FileTree, _ keys: [[UInt8]]) -> TreeNode {
        let node = dictionary(keys)
        tree.leaf("class_Bag", "d_i").slots[0] = .child(node)
        return node
    }

    private static let dictionaries: [Damage] = [
        Damage(.dictionaryShape, "query/bags", "more keys than values") {
            setDictionary($0, [[65], [66]])[1][0].integers.removeLast()
        },
        Damage(.dictionaryShape, "query/bags", "no values") {
            setDictionary($0, [[65], [66]]).slots.removeLast()
        },
        Damage(.dictionaryOrder, "query/bags") { _ = setDictionary($0, [[66], [65]]) },
        Damage(.dictionaryOrder, "query/bags", "equal") { _ = setDictionary($0, [[66], [66]]) },
        Damage(.dictionaryOrder, "query/bags", "null key") { tree in
            setDictionary(tree, [[65], [66]])[0].bytes.replaceSubrange(0..<4, with: [0, 0, 0, 4])
        },
        Damage(.dictionaryOrderLegacy, "query/bags") {
            _ = setDictionary($0, [[0xC3, 0xA9], [65]])
        },
        Damage(.stringUTF8, "query/bags", "dictionary key") {
            _ = setDictionary($0, [[65], [0xFF]])
        },
        Damage(.mixedWord, "query/bags", "another type") {
            setDictionary($0, [[65]])[1][0].integers[0] = 1 << 8 | 2
        },
        Damage(.nullInRequired, "query/bags", "dictionary") {
            setDictionary($0, [[65]])[1][0].integers[0] = 0
        },
    ]

    private static func setList(_ tree: FileTree, _ root: TreeNode) {
        tree.leaf("class_Bag", "l_any").slots[0] = .child(root)
    }

    private static let nested: [Damage] = [
        Damage(.collectionKey, "query/bags", "none") {
            setList($0, mixed(words: [4 << 5 | 20], refs: [mixed(words: [])]))
        },
        Damage(.collectionKeyMissing, "query/anyval") { tree in
            let words = tree.leaf("class_Slot", "v")[5]
            words.integers = words.integers.map { _ in 0 }
        },
        Damage(.nesting, "query/bags", "in a set", also: [.setOrder]) {
            $0.leaf("class_Bag", "s_any").slots[0] = .child(
                mixed(
                    words: [4 << 5 | 20, 1 << 8 | 4 << 5 | 20],
                    refs: [mixed(words: []), mixed(words: [])], keys: [8, 9]))
        },
        Damage(.collectionKey, "query/bags", "twice") {
            setList(
                $0,
                mixed(
                    words: [4 << 5 | 20, 1 << 8 | 4 << 5 | 20],
                    refs: [mixed(words: []), mixed(words: [])], keys: [9, 9]))
        },
        Damage(.collectionKey, "query/bags", "beside a number") {
            setList($0, mixed(words: [1 << 8 | 1], keys: [9]))
        },
        Damage(.collectionKey, "query/bags", "too many") {
            setList($0, mixed(words: [1 << 8 | 1], keys: [0, 0]))
        },
        Damage(.nesting, "query/bags") { tree in
            var list = mixed(words: [])
            for _ in 0..<102 { list = mixed(words: [4 << 5 | 20], refs: [list], keys: [9]) }
            setList(tree, list)
        },
    ]
}
