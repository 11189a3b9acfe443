/// A search index: a trie over four-byte chunks of a value's index string, each of whose nodes is a
/// small B-tree (object format 5).
///
/// Finds candidates: the caller compares them with the column, since an index string says less than
/// the value (object format 5.5).
struct SearchIndex {
    let space: NodeSpace
    let root: Ref

    /// Deeper tries hold nothing any writer makes; a cycle gets here.
    private static let maximumDepth = 4096

    /// Appends the keys of the objects whose index string may be `string`; nil is the string of
    /// null.
    func candidates(
        for string: UnsafeRawBufferPointer?, into keys: inout [ObjectKey]
    ) throws(RealmError) {
        var ref = root
        var offset = 0
        for _ in 0..<Self.maximumDepth {
            let chunk = Self.chunk(string, offset)
            guard let entry = try entry(ref, chunk) else { return }
            if entry.isTagged {
                keys.append(ObjectKey(Int64(bitPattern: entry.value)))
                return
            }
            guard try space.node(entry.ref).context else {
                try appendList(entry.ref, to: &keys)
                return
            }
            ref = entry.ref
            offset += 4
        }
        throw .corrupt("a search index deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// Four bytes of the string as the trie sees them.
    static func chunk(_ string: UnsafeRawBufferPointer?, _ offset: Int) -> Int32 {
        guard let string, offset <= string.count else { return 0 }
        var bits: UInt32 = 0
        for i in 0..<4 {
            let at = offset + i
            let byte: UInt8 = at < string.count ? string[at] : at == string.count ? 0x58 : 0
            bits = bits << 8 | UInt32(byte)
        }
        return Int32(bitPattern: bits)
    }

    /// The entry for `chunk` below the node at `ref`, nil when there is none.
    private func entry(_ start: Ref, _ chunk: Int32) throws(RealmError) -> NodeSlot? {
        var ref = start
        for _ in 0..<BPlusTree.maximumDepth {
            let node = try space.refNode(ref, slots: 1, "index node")
            let keys = try space.integers(node.slot(0).ref, "index keys")
            guard keys.count == node.count - 1 else { throw space.wrongShape(ref, "index node") }
            var low = 0
            var high = keys.count
            while low < high {
                let middle = (low + high) >> 1
                if keys.integer(middle) < Int64(chunk) { low = middle + 1 } else { high = middle }
            }
            guard low < keys.count else { return nil }
            let slot = node.slot(low + 1)
            if node.isInner {
                guard let child = slot.child else { throw space.wrongShape(ref, "index node") }
                ref = child
                continue
            }
            guard keys.integer(low) == Int64(chunk) else { return nil }
            guard !slot.isNone else { throw space.wrongShape(ref, "index node") }
            return slot
        }
        throw .corrupt("an index node deeper than \(BPlusTree.maximumDepth) levels", at: start)
    }

    private func appendList(_ ref: Ref, to keys: inout [ObjectKey]) throws(RealmError) {
        let view = CollectionView(root: ref, element: ElementType(type: .int, isNullable: false))
        var cursor = ElementCursor(space, view)
        while let value = try cursor.nextStored() {
            if case .int(let key) = value { keys.append(ObjectKey(key)) }
        }
    }
}

extension SearchIndex {
    /// Appends the keys of the objects that may hold `value` of an int, bool, string, timestamp,
    /// object id or UUID column (object format 5.2).
    func candidates(for value: Value, into keys: inout [ObjectKey]) throws(RealmError) {
        switch value {
        case .null: try candidates(for: nil, into: &keys)
        case .int(let x): try candidates(bits(x), 0, 8, &keys)
        case .bool(let x): try candidates(x ? 1 : 0, 0, 8, &keys)
        case .string(let text), .binary(let text): try candidates(for: text.buffer, into: &keys)
        case .timestamp(let x):
            let nanos = UInt64(UInt32(bitPattern: x.nanoseconds))
            try candidates(bits(x.seconds), nanos, 12, &keys)
        case .objectID(let x):
            let low = UInt64(x.low.byteSwapped)
            try candidates(x.high.byteSwapped, low, 12, &keys)
        case .uuid(let x):
            try candidates(x.high.byteSwapped, x.low.byteSwapped, 16, &keys)
        default: throw RealmError(.internal, code: "Bug", reason: "index", "no index has this type")
        }
    }

    private func bits(_ x: Int64) -> UInt64 { UInt64(bitPattern: x).littleEndian }

    /// With the first `count` bytes of the two words as the index string.
    private func candidates(
        _ first: UInt64, _ second: UInt64, _ count: Int, _ keys: inout [ObjectKey]
    ) throws(RealmError) {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
        defer { bytes.deallocate() }
        bytes.storeBytes(of: first, as: UInt64.self)
        bytes.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
        try candidates(for: UnsafeRawBufferPointer(start: bytes, count: count), into: &keys)
    }
}
