/// Editing of mixed values. A leaf stores one number for each value, its *word*, with the type. The
/// word also contains a small value itself. A large value is in one of the leaf's *pools*, nodes
/// for values of similar types, and the word contains its index there. If a value is removed from a
/// pool, the last value in the pool takes its index, so that all others keep theirs (object format
/// 3.13).
extension ColumnEditor {
    /// Writes a new leaf with `values`.
    func mixedLeaf(_ values: UnsafeBufferPointer<Value>) throws(RealmError) -> Ref {
        let (ref, leaf) = try nodes.newRefs(MixedLeafShape.count)
        leaf.slots[MixedLeafShape.words] = try context.encoder.integers([]).raw
        for i in 0..<values.count { try insert(copiedIfInTransaction(values[i]), leaf, at: i) }
        return ref
    }

    func setMixed(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        let (leaf, value) = (try mixed(slot), copiedIfInTransaction(value))
        try release(leaf, i)
        try nodes.setInteger(leaf.slots, i, 0)
        try nodes.setInteger(leaf.slots, i, try word(leaf, value))
        try setKey(leaf, i, value)
    }

    func insertMixed(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        try insert(copiedIfInTransaction(value), try mixed(slot), at: i)
    }

    func removeMixed(_ slot: RefSlot, _ i: Int) throws(RealmError) {
        let leaf = try mixed(slot)
        try release(leaf, i)
        try nodes.removeInteger(leaf.slots, i)
        if leaf.slots[MixedLeafShape.keys] != 0 {
            try nodes.removeInteger(leaf.slots + MixedLeafShape.keys, i)
        }
    }

    /// Returns the writable leaf of mixed values at `slot`. The indexes in its words need no
    /// further check: they were checked when the leaf was copied value by value.
    private func mixed(_ slot: RefSlot) throws(RealmError) -> SlabNode {
        let leaf = try nodes.writableRefs(slot)
        guard leaf.count == MixedLeafShape.count else { throw nodes.outside(slot) }
        return leaf
    }

    private func insert(_ value: Value, _ leaf: SlabNode, at i: Int) throws(RealmError) {
        try nodes.insertInteger(leaf.slots, i, try word(leaf, value))
        if leaf.slots[MixedLeafShape.keys] != 0 {
            try nodes.insertInteger(leaf.slots + MixedLeafShape.keys, i, 0)
        }
        try setKey(leaf, i, value)
    }

    /// Stores the key of a nested collection, 0 for other values.
    private func setKey(_ leaf: SlabNode, _ i: Int, _ value: Value) throws(RealmError) {
        let key: Int32
        switch value {
        case .list(let v), .dictionary(let v): key = v.key
        default: key = 0
        }
        if leaf.slots[MixedLeafShape.keys] == 0 {
            if key == 0 { return }
            let count = try nodes.makeWritable(leaf.slots).count
            let keys = [Int64](repeating: 0, count: count)
            leaf.slots[MixedLeafShape.keys] = try context.encoder.integers(keys).raw
        }
        try nodes.setInteger(leaf.slots + MixedLeafShape.keys, i, Int64(key))
    }

    // MARK: Words

    private func word(_ leaf: SlabNode, _ value: Value) throws(RealmError) -> Int64 {
        switch value {
        case .null, .set: 0
        case .int(let v):
            v >= -0x8000_0000 && v <= 0x7FFF_FFFF
                ? v << 8 | MixedKind.int.rawValue : try add(to: leaf, .int, v, in: .numbers)
        case .bool(let v): (v ? 1 : 0) << 8 | MixedKind.bool.rawValue
        case .string(let v): try add(to: leaf, .string, v)
        case .binary(let v): try add(to: leaf, .binary, v)
        case .timestamp(let v):
            try add(to: leaf, .timestamp, v.seconds, Int64(v.nanoseconds), in: .pairs)
        case .float(let v): try add(to: leaf, .float, Int64(v.bitPattern), in: .numbers)
        case .double(let v):
            try add(to: leaf, .double, Int64(bitPattern: v.bitPattern), in: .numbers)
        case .decimal(let v):
            try add(
                to: leaf, .decimal, Int64(bitPattern: v.low), Int64(bitPattern: v.high), in: .pairs)
        case .objectID(let v):
            try add(to: leaf, .objectID, id(ObjectID.byteCount) { v.store(to: $0) })
        case .link(let v):
            try add(to: leaf, .link, Int64(v.table.raw), v.key.raw, in: .pairs)
        case .uuid(let v):
            try add(to: leaf, .uuid, id(UUIDValue.byteCount) { v.store(to: $0) })
        case .list(let v):
            try add(to: leaf, .list, Int64(bitPattern: v.root.raw), in: .refs)
        case .dictionary(let v):
            try add(to: leaf, .dictionary, Int64(bitPattern: v.root.raw), in: .refs)
        }
    }

    private func id(_ count: Int, _ store: (UnsafeMutableRawPointer) -> Void) -> ByteView {
        let copy = context.arena.allocate(count)
        store(copy)
        return ByteView(copy, count: count)
    }

    // MARK: Pools

    private typealias Pool = MixedLeaf.Pool

    /// Editor of the leaf in which a mixed leaf stores its strings and binaries.
    private var strings: ColumnEditor {
        ColumnEditor(
            context, LeafLayout(elements: ElementType(type: .string, isNullable: false)))
    }

    private func add(
        to leaf: SlabNode, _ kind: MixedKind, _ a: Int64, _ b: Int64? = nil, in pool: Pool
    ) throws(RealmError) -> Int64 {
        let slot = leaf.slots + pool.rawValue
        if slot.pointee == 0 {
            slot.pointee =
                try pool == .refs
                ? nodes.newRefs(0, extra: 4).ref.raw : context.encoder.integers([]).raw
        }
        let count = nodes.slab.writable(Ref(slot.pointee)).count
        try nodes.insertInteger(slot, count, a)
        if let b { try nodes.insertInteger(slot, count + 1, b) }
        return pool.entry(count / pool.size) | kind.rawValue
    }

    private func add(
        to leaf: SlabNode, _ kind: MixedKind, _ bytes: ByteView
    ) throws(RealmError) -> Int64 {
        let slot = leaf.slots + Pool.bytes.rawValue
        if slot.pointee == 0 { slot.pointee = try strings.makeEmpty().raw }
        let count = try BytesLeaf(pool: Ref(slot.pointee), nodes.space).count
        try strings.insert(.string(bytes), slot, at: count)
        return Pool.bytes.entry(count) | kind.rawValue
    }

    /// Removes element `i` from the node that contains its value. Does nothing if the element's
    /// word contains the value itself. If the value is a collection, the caller must free the
    /// collection.
    private func release(_ leaf: SlabNode, _ i: Int) throws(RealmError) {
        let words = try nodes.makeWritable(leaf.slots).view
        guard i < words.count else { throw nodes.outside(leaf.slots) }
        let word = words.integer(i)
        guard let pool = Pool(rawValue: Int(word >> 5 & 7)) else { return }
        let slot = leaf.slots + pool.rawValue
        let index = Int(word >> 8)
        let last = try pool == .bytes ? takeOutBytes(slot, index) : takeOut(slot, index, pool.size)
        if last == 0 { slot.pointee = 0 }
        if last == index { return }
        for row in 0..<words.count {
            let word = words.integer(row)
            guard word & ~MixedKind.mask == pool.entry(last) else { continue }
            let moved = pool.entry(index) | word & MixedKind.mask
            return try nodes.setInteger(leaf.slots, row, moved)
        }
    }

    /// Moves the last value of a pool, a node with large values, to `index`, where a value was
    /// removed. Returns the previous index of the moved value.
    private func takeOut(_ slot: RefSlot, _ index: Int, _ size: Int) throws(RealmError) -> Int {
        let node = nodes.slab.writable(Ref(slot.pointee))
        let last = node.count / size - 1
        guard index <= last else { throw nodes.outside(slot) }
        for part in 0..<size {
            node.store(node.view.integer(last * size + part), at: index * size + part)
        }
        node.resize(last * size)
        return last
    }

    private func takeOutBytes(_ slot: RefSlot, _ index: Int) throws(RealmError) -> Int {
        let pool = try BytesLeaf(pool: Ref(slot.pointee), nodes.space)
        let last = pool.count - 1
        guard index <= last, let value = try pool.value(last) else { throw nodes.outside(slot) }
        if index < last { try strings.set(.string(value), slot, at: index, rows: last + 1) }
        try strings.remove(slot, at: last)
        return last
    }
}
