@testable import EngineSupport
@testable import RealmEngine

/// Damage to header, nodes, free space and history.
extension Damage {
    static let storage: [Damage] = file + nodes + freeSpace + log

    private static let file: [Damage] = [
        Damage(.header, "query/orders", "unknown format") { $0.format = 99 },
        Damage(.header, "query/orders", "misaligned root") { _ in }.patched { $0[0] |= 4 },
        Damage(.fileSize, "query/orders") { $0.excess = 8 },
        Damage(.staleSlot, "query/orders", "no root") { $0.otherTop = 24 },
        Damage(.staleSlot, "query/orders", "the same version") { _ in }.patched {
            $0.replaceSubrange(8..<16, with: $0[0..<8])
        },
        Damage(.topArray, "query/orders", "size") { $0.top.slots.removeLast(3) },
        Damage(.topArray, "query/orders", "logical size") { $0.top.setTag(2, 1 << 41) },
        Damage(.topArray, "query/orders", "version", also: [.historyCount]) { tree in
            tree.top.slots[6] = .child(TreeNode([1]))
        },
        Damage(.leakedSpace, "query/orders", "no free lists") { $0.freeLists = [] },
        Damage(.evacuation, "query/orders") { tree in
            tree.top.slots.append(.child(TreeNode([1])))
        },
    ]

    private static let nodes: [Damage] = [
        Damage(.refMisaligned, "query/orders", also: [.treeShape]) {
            $0.leaf("class_Order", "lines").slots[0] = .raw(28)
        },
        Damage(.refOutsideFile, "query/orders", also: [.treeShape]) {
            $0.leaf("class_Order", "lines").slots[0] = .raw(1 << 30)
        },
        Damage(.nodeOutsideFile, "query/orders", also: [.treeShape, .leakedSpace, .nodeEnd]) {
            $0.leaf("class_Order", "lines").slots[0] = .child(blob(claiming: 0xFF_FFFF))
        },
        Damage(
            .nodeFlags, "query/orders", "width type 3", also: [.treeShape, .leakedSpace, .nodeEnd]
        ) {
            $0.collection("class_Order", "lines").flags |= 0x18
        },
        Damage(.nodeEnd, "query/bags") { tree in
            let list = tree.collection("class_Bag", "l_i")
            list.integers = (0..<24).map { 100_000 + $0 }
            list.claimedCount = 20
        },
        Damage(.nodeFlags, "query/orders", "inner without refs", also: [.treeShape]) {
            $0.collection("class_Order", "lines").flags |= 0x80
        },
        Damage(
            .nodeFlags, "query/orders", "refs of bytes", also: [.leafShape, .leakedSpace, .nodeEnd]
        ) {
            $0.leaf("class_Order", "lines").flags |= 0x08
        },
        Damage(.nodeTooLarge, "query/grammar", also: [.sectionStraddled]) {
            $0.top.slots.append(.child(numbers(1 << 23)))
        },
        Damage(.sectionStraddled, "query/grammar") {
            $0.top.slots.append(.child(numbers(1 << 23 - 16)))
        },
        Damage(.nodeShared, "query/orders") { tree in
            let cells = tree.leaf("class_Order", "lines")
            let filled = cells.slots.indices.filter {
                if case .child = cells.slots[$0] { true } else { false }
            }
            cells.slots[filled[1]] = cells.slots[filled[0]]
        },
        Damage(.nodeOverlap, "query/orders") { tree in
            let cells = tree.leaf("class_Order", "lines")
            // The second list is the empty node inside the first.
            cells.slots[0] = .child(TreeNode([0x4141_4141, overlapMark]))
            cells.slots[1] = .raw(UInt64(overlapMark))
        }.patched { bytes in
            let places = (0..<bytes.count / 8).filter { place in
                (0..<8).allSatisfy {
                    bytes[8 * place + $0] == UInt8(truncatingIfNeeded: overlapMark >> Int64(8 * $0))
                }
            }
            let ref = UInt64(places[0] * 8 - 8)
            for i in 0..<8 {
                bytes[places[1] * 8 + i] = UInt8(truncatingIfNeeded: ref >> UInt64(8 * i))
            }
        },
        Damage(.signature, "query/orders") { $0.leaf("class_Order", "lines").signature = 0 },
        Damage(.unreadable, "query/bags", also: [.mixedPool]) { tree in
            // A null string in the pool of a mixed leaf.
            let strings = TreeNode(flags: 0x0A, .bytes([0, 2], count: 1))
            tree.leaf("class_Bag", "l_any").slots[0] = .child(
                TreeNode(refs: [
                    .child(TreeNode([3 << 5 | 3])), .raw(0), .raw(0), .child(strings), .raw(0),
                    .raw(0),
                ]))
        },
        Damage(.incomplete, "query/orders") { tree in
            let list = TreeNode([])
            list.claimedCount = 0xFF_FFFF
            tree.leaf("class_Order", "lines").slots[0] = .child(list)
        },
    ]

    private static let overlapMark: Int64 = 0x5555_5555_5555_5550

    private static func blob(claiming count: Int) -> TreeNode {
        let node = TreeNode(flags: 0x11, .bytes([1, 2, 3], count: 3))
        node.claimedCount = count
        return node
    }

    /// Makes an array of 64-bit zeros.
    private static func numbers(_ count: Int) -> TreeNode {
        TreeNode(flags: 7, .bytes([UInt8](repeating: 0, count: 8 * count), count: count))
    }

    private static func lists(_ a: [Int64], _ b: [Int64], _ c: [Int64]) -> [TreeNode] {
        [TreeNode(a), TreeNode(b), TreeNode(c)]
    }

    private static let freeSpace: [Damage] = [
        Damage(.freeListShape, "query/orders", "unequal lengths", also: [.leakedSpace]) {
            $0.freeLists = lists([1 << 13], [8], [])
        },
        Damage(.freeListShape, "query/orders", "references", also: [.leakedSpace]) {
            $0.freeLists = [TreeNode(refs: []), TreeNode([]), TreeNode([])]
        },
        Damage(.freeListOrder, "query/orders", "descending", also: [.leakedSpace, .nodeEnd]) {
            tree in
            let end = try size(tree)
            tree.freeLists = lists([end - 8, end - 24], [8, 8], [0, 0])
        },
        Damage(.freeOverlap, "query/orders", also: [.leakedSpace, .nodeEnd]) {
            tree in
            let end = try size(tree)
            tree.freeLists = lists([end - 24, end - 16], [16, 16], [0, 0])
        },
        Damage(.freeChunk, "query/orders", "misaligned", also: [.leakedSpace]) { tree in
            tree.freeLists = lists([try size(tree) - 12], [8], [0])
        },
        Damage(.freeChunkEmpty, "query/orders", also: [.leakedSpace]) { tree in
            tree.freeLists = lists([try size(tree) - 8], [0], [0])
        },
        Damage(.freeChunk, "query/orders", "outside", also: [.leakedSpace]) { tree in
            tree.freeLists = lists([try size(tree) - 8], [16], [0])
        },
        Damage(.freeStamp, "query/orders", also: [.leakedSpace, .nodeEnd]) { tree in
            tree.freeLists = lists([try size(tree) - 8], [8], [99])
        },
        Damage(.freeOverlapsLive, "query/orders", also: [.leakedSpace]) {
            $0.freeLists = lists([24], [64], [0])
        },
        Damage(.leakedSpace, "query/orders") { $0.freeLists = lists([], [], []) },
    ]

    /// Returns the end of the space that the encoded file will manage.
    private static func size(_ tree: FileTree) throws -> Int64 { Int64(tree.encoded().count) }

    private static let log: [Damage] = [
        Damage(.historyType, "query/orders", "unknown") { $0.top.setTag(7, 9) },
        Damage(.unusedValue, "query/orders", "a history of no type") { $0.top.setTag(7, 0) },
        Damage(.historyType, "query/orders", "schema") { $0.top.setTag(9, 2) },
        Damage(.historyCount, "query/orders") { $0.top.setTag(6, 1) },
        Damage(.historyNull, "query/orders") { setHistory($0, nil) },
        Damage(.changeset, "query/orders", "unknown instruction") { setHistory($0, [99]) },
        Damage(.changeset, "query/orders", "cut off") { setHistory($0, [10, 0, 0x80]) },
        Damage(.changeset, "query/orders", "nothing selected") { setHistory($0, [11, 1]) },
    ]

    /// Sets a history of one changeset.
    private static func setHistory(_ tree: FileTree, _ changes: [UInt8]?) {
        let slot = changes.map {
            TreeNode.Slot.child(TreeNode(flags: 0x11, .bytes($0, count: $0.count)))
        }
        tree.top[8] = TreeNode(refs: [slot ?? .raw(0)], context: true)
    }
}
