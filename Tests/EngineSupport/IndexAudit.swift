import Testing

@testable import RealmEngine

/// Checks a stored search index against all rules of its format (object format specification 11,
/// invariants 28 to 30).
struct IndexAudit {
    private let space: NodeSpace
    private let fanout: Fanout
    private let value: (ObjectKey) -> Value?
    private let holdsWords: Bool
    /// Description of each violated rule.
    private(set) var faults: [String] = []
    /// Number of occurrences of each object key in the index.
    private(set) var keys: [Int64: Int] = [:]
    /// For each word of a full-text index, the keys of the objects that contain it.
    private(set) var words: [[UInt8]: [Int64]] = [:]
    /// Refs of all nodes of the index.
    private(set) var refs: Set<Ref> = []
    private(set) var lists = 0
    private(set) var deepest = 0

    init(
        _ space: NodeSpace, _ root: Ref, kind: IndexKind, fanout: Fanout = Fanout(),
        value: @escaping (ObjectKey) -> Value?
    ) throws {
        self.space = space
        self.fanout = fanout
        self.value = value
        holdsWords = kind == .fullText
        try level(root, path: [], isRoot: true)
    }

    private mutating func check(_ isRight: Bool, _ fault: @autoclosure () -> String) {
        if !isRight { faults.append(fault()) }
    }

    private mutating func visit(_ ref: Ref) {
        check(refs.insert(ref).inserted, "node \(ref.raw) is reached twice")
    }

    /// Checks the nodes of one level of the index, whose path so far is `path`. Returns the last
    /// chunk (4 bytes of a value) in the level.
    @discardableResult
    private mutating func level(_ ref: Ref, path: [Int32], isRoot: Bool) throws -> Int32? {
        visit(ref)
        let node = try space.node(ref)
        check(node.hasRefs && node.context && node.widthType == 0, "flags of node \(ref.raw)")
        let keysRef = try #require(node.slot(0).child)
        visit(keysRef)
        let keys = try space.node(keysRef)
        check(keys.flags == 6, "keys \(keysRef.raw) are not a plain array of width 32")
        check(keys.count == node.count - 1, "node \(ref.raw) has keys without slots")
        check(keys.count <= fanout.index, "node \(ref.raw) has \(keys.count) keys")
        check(keys.count > 0 || (isRoot && !node.isInner), "node \(ref.raw) is empty")
        for i in 0..<keys.count {
            let chunk = Int32(keys.integer(i))
            check(i == 0 || keys.integer(i - 1) < keys.integer(i), "keys of \(ref.raw) descend")
            if node.isInner {
                let child = try #require(node.slot(i + 1).child)
                let last = try level(child, path: path, isRoot: false)
                check(last == chunk, "a key of \(ref.raw) is not the child's last")
            } else {
                try entry(node.slot(i + 1), path: path + [chunk])
            }
        }
        return keys.count == 0 ? nil : Int32(keys.integer(keys.count - 1))
    }

    private mutating func entry(_ slot: NodeSlot, path: [Int32]) throws {
        deepest = max(deepest, path.count)
        if slot.isTagged { return found([Int64(slot.value)], path) }
        let ref = try #require(slot.child)
        if try space.node(ref).context {
            check(path.count <= 50 || holdsWords, "a sub-index at level \(path.count)")
            try level(ref, path: path, isRoot: false)
            return
        }
        lists += 1
        found(try list(ref), path)
    }

    private mutating func list(_ root: Ref) throws -> [Int64] {
        if try !space.node(root).isInner { visit(root) }
        var keys: [Int64] = []
        var leaves = BPlusTree(space: space, root: root).leaves()
        while let ref = try leaves.next() {
            if ref != root { visit(ref) }
            let leaf = try space.integers(ref, "list")
            check(!leaf.context && leaf.count <= fanout.tree, "list leaf \(ref.raw)")
            for i in 0..<leaf.count { keys.append(leaf.integer(i)) }
        }
        check(!keys.isEmpty, "an empty list")
        return keys
    }

    private mutating func found(_ keys: [Int64], _ path: [Int32]) {
        for key in keys { self.keys[key, default: 0] += 1 }
        if holdsWords {
            // In full-text indexes of lists, the reference engine may store an object's key several
            // times for one word (object format specification 13, defect 7).
            check(zip(keys, keys.dropFirst()).allSatisfy { $0 <= $1 }, "the keys of a word descend")
            words[Self.word(path), default: []] += keys
            return
        }
        let values = keys.map { value(ObjectKey($0)) }
        for (key, value) in zip(keys, values) {
            guard let value else {
                check(false, "object \(key) does not exist")
                continue
            }
            let string = IndexString(value)
            let matches = path.indices.allSatisfy { string.chunk(at: $0 * 4) == path[$0] }
            check(matches, "object \(key) is not where its value belongs")
        }
        order(keys, values.compactMap { $0 }, path)
    }

    private mutating func order(_ keys: [Int64], _ values: [Value], _ path: [Int32]) {
        guard keys.count == values.count else { return }
        for i in keys.indices.dropFirst() {
            let order = ValueOrder.compare(values[i - 1], values[i])
            let ascends = order != 0 ? order < 0 : keys[i - 1] < keys[i]
            check(ascends, "the list at \(path) is out of order")
            check(
                path.count > 50 || IndexString(values[i - 1]) == IndexString(values[i]),
                "different strings share the list at \(path)")
        }
    }

    /// Joins the chunks of `path`, 4 bytes each, to a word, without the NUL bytes and the end
    /// marker X after it. A word that itself ends in X may lose that letter.
    private static func word(_ path: [Int32]) -> [UInt8] {
        var bytes: [UInt8] = []
        for chunk in path {
            withUnsafeBytes(of: chunk.bigEndian) { bytes.append(contentsOf: $0) }
        }
        while bytes.last == 0 { bytes.removeLast() }
        if bytes.last == 0x58 { bytes.removeLast() }
        return bytes
    }
}
