/// Editing of strings and binaries. A value that fits the form of the leaf is stored in place. A
/// longer one causes the leaf to be written again in another form (object format 3.5, 3.7).
extension ColumnEditor {
    private enum EditKind { case set, insert }

    private var isString: Bool { layout.type == .string }
    private var terminator: Int { isString ? 1 : 0 }

    func setBytes(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        if try splice(slot, i, copiedIfInTransaction(value).bytes, .set) { return }
        try rebuild(slot) { (leaf) throws(RealmError) in try leaf.set(value, at: i, context) }
    }

    func insertBytes(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        if try splice(slot, i, copiedIfInTransaction(value).bytes, .insert) { return }
        try rebuild(slot) { (leaf) in leaf.insert(value, at: i) }
    }

    func removeBytes(_ slot: RefSlot, _ i: Int) throws(RealmError) {
        let node = nodes.slab.writable(Ref(slot.pointee))
        if !node.view.hasRefs { return try removeCell(slot, i) }
        let leaf = try nodes.writableRefs(slot)
        if leaf.view.context {
            guard i < leaf.count else { throw nodes.outside(slot) }
            if let blob = leaf.view.slot(i).child { try nodes.freeDeep(blob) }
            return leaf.close(i)
        }
        let range = try mediumRange(leaf, i)
        try replace(leaf, range, with: nil, size: 0)
        try nodes.removeInteger(leaf.slots, i)
        try nodes.addToIntegers(leaf.slots, from: i, -Int64(range.count))
        try nodes.removeInteger(leaf.slots + MediumBytesShape.nulls, i)
    }

    /// Stores or inserts a value in place; returns false if it does not fit the form of the leaf.
    private func splice(
        _ slot: RefSlot, _ i: Int, _ value: ByteView?, _ kind: EditKind
    ) throws(RealmError) -> Bool {
        let node = nodes.slab.writable(Ref(slot.pointee))
        guard node.view.hasRefs else {
            // The leaf is a plain array without values. It gets the form of a string leaf when the
            // first value is inserted.
            guard node.view.widthType == 1 else { return false }
            return try spliceShort(slot, i, value, kind)
        }
        let leaf = try nodes.writableRefs(slot)
        if leaf.view.context { return try spliceBig(slot, leaf, i, value, kind) }
        return try spliceMedium(leaf, i, value, kind)
    }

    // MARK: Cells

    private func spliceShort(
        _ slot: RefSlot, _ i: Int, _ value: ByteView?, _ kind: EditKind
    ) throws(RealmError) -> Bool {
        let needed = value.map { $0.count + 1 } ?? 0
        var node = nodes.slab.writable(Ref(slot.pointee))
        if needed > node.view.width {
            guard needed <= 16 else { return false }
            node = try widenCells(slot, node, needed)
        }
        if kind == .insert {
            node = try openCell(slot, i)
        } else if i >= node.count {
            throw nodes.outside(slot)
        }
        let width = node.view.width
        if width > 0 { Self.store(value, node.payload + i * width, width) }
        return true
    }

    @inline(__always)
    private static func store(_ value: ByteView?, _ cell: UnsafeMutableRawPointer, _ width: Int) {
        var padding = width
        var length = 0
        if let value {
            length = value.count
            cell.copyMemory(from: value.base, byteCount: length)
            padding = width - 1 - length
        }
        (cell + length).initializeMemory(as: UInt8.self, repeating: 0, count: width - length)
        cell.storeBytes(
            of: UInt8(truncatingIfNeeded: padding), toByteOffset: width - 1, as: UInt8.self)
    }

    private func widenCells(
        _ slot: RefSlot, _ old: SlabNode, _ needed: Int
    ) throws(RealmError) -> SlabNode {
        var code: UInt8 = 1
        while (1 << Int(code)) >> 1 < needed { code += 1 }
        let (width, from) = ((1 << Int(code)) >> 1, old.view.width)
        let count = old.count
        let new = try nodes.slab.node(
            flags: NodeView.bytesFlag | code, count: count, room: (count + count / 4 + 4) * width)
        for i in 0..<count {
            let cell = old.payload + i * from
            let padding = from == 0 ? 0 : Int(cell.load(fromByteOffset: from - 1, as: UInt8.self))
            guard padding <= from else { throw nodes.outside(slot) }
            let value = padding == from ? nil : ByteView(cell, count: from - 1 - padding)
            Self.store(value, new.payload + i * width, width)
        }
        slot.pointee = new.ref.raw
        return nodes.slab.writable(new.ref)
    }

    // MARK: One byte area for all values

    /// Copies the three arrays of a medium leaf. Checks the offsets, which later edits use without
    /// checks.
    func copyMedium(_ slot: RefSlot, _ bytes: BytesLeaf) throws(RealmError) {
        guard IntegerKernels.ascend(bytes.node, bytes.count) else { throw bytes.damagedOffsets() }
        let end = bytes.count == 0 ? 0 : bytes.node.integer(bytes.count - 1)
        guard end <= Int64(bytes.area.count) else { throw bytes.damagedOffsets() }
        let leaf = try nodes.copyRefs(slot)
        for i in 0..<MediumBytesShape.count { _ = try nodes.makeWritable(leaf.slots + i) }
        let area = nodes.slab.writable(Ref(leaf.slots[MediumBytesShape.area]))
        if area.count > Int(end) { area.resize(Int(end)) }
    }

    private func mediumRange(_ leaf: SlabNode, _ i: Int) throws(RealmError) -> Range<Int> {
        let ends = nodes.slab.writable(Ref(leaf.slots[MediumBytesShape.ends])).view
        guard i < ends.count else { throw nodes.outside(leaf.slots) }
        return (i == 0 ? 0 : Int(ends.integer(i - 1)))..<Int(ends.integer(i))
    }

    private func spliceMedium(
        _ leaf: SlabNode, _ i: Int, _ value: ByteView?, _ kind: EditKind
    ) throws(RealmError) -> Bool {
        let length = value?.count ?? 0
        guard length <= LeafEncoder.maximumMediumSize(isString: isString) else { return false }
        let size = length + terminator
        if kind == .insert {
            if let value, appendMedium(leaf, i, value) { return true }
            let ends = nodes.slab.writable(Ref(leaf.slots[MediumBytesShape.ends])).view
            guard i <= ends.count else { throw nodes.outside(leaf.slots) }
            let start = i == 0 ? 0 : Int(ends.integer(i - 1))
            try replace(leaf, start..<start, with: value, size: size)
            try nodes.insertInteger(leaf.slots, i, Int64(start + size))
            try nodes.addToIntegers(leaf.slots, from: i + 1, Int64(size))
            try nodes.insertInteger(leaf.slots + MediumBytesShape.nulls, i, value == nil ? 1 : 0)
        } else {
            let range = try mediumRange(leaf, i)
            try replace(leaf, range, with: value, size: size)
            try nodes.addToIntegers(leaf.slots, from: i, Int64(size - range.count))
            try nodes.setInteger(leaf.slots + MediumBytesShape.nulls, i, value == nil ? 1 : 0)
        }
        return true
    }

    /// Appends a value if each of the three arrays has room for it, which is the usual case for new
    /// objects. Otherwise returns false and changes nothing.
    private func appendMedium(_ leaf: SlabNode, _ i: Int, _ value: ByteView) -> Bool {
        let ends = nodes.slab.writable(Ref(leaf.slots[MediumBytesShape.ends]))
        let area = nodes.slab.writable(Ref(leaf.slots[MediumBytesShape.area]))
        let nulls = nodes.slab.writable(Ref(leaf.slots[MediumBytesShape.nulls]))
        let start = area.count
        let end = start + value.count + terminator
        guard i > 0, start > 0, i == ends.count, i == nulls.count,
            ends.view.integer(i - 1) == start,
            NodeMutator.Sign.usual.code(Int64(end)) <= ends.flags & 7,
            area.hasRoom(for: end), ends.hasRoom(for: i + 1), nulls.hasRoom(for: i + 1)
        else { return false }
        let p = area.payload + start
        p.copyMemory(from: value.base, byteCount: value.count)
        if isString { p.storeBytes(of: 0, toByteOffset: value.count, as: UInt8.self) }
        area.resize(end)
        ends.resize(i + 1)
        ends.store(Int64(end), at: i)
        nulls.resize(i + 1)
        nulls.store(0, at: i)
        return true
    }

    /// Replaces the bytes in `range` by `size` bytes: the bytes of `value`, then zeros.
    private func replace(
        _ leaf: SlabNode, _ range: Range<Int>, with value: ByteView?, size: Int
    ) throws(RealmError) {
        var area = nodes.slab.writable(Ref(leaf.slots[MediumBytesShape.area]))
        let count = area.count
        let newCount = count - range.count + size
        guard range.upperBound <= count else {
            throw nodes.outside(leaf.slots + MediumBytesShape.area)
        }
        if newCount > count {
            area = try nodes.ensureCapacity(leaf.slots + MediumBytesShape.area, for: newCount)
        }
        let p = area.payload
        (p + range.lowerBound + size).copyMemory(
            from: p + range.upperBound, byteCount: count - range.upperBound)
        let length = value?.count ?? 0
        if let value {
            (p + range.lowerBound).copyMemory(from: value.base, byteCount: length)
        }
        (p + range.lowerBound + length).initializeMemory(
            as: UInt8.self, repeating: 0, count: size - length)
        area.resize(
            newCount, flags: newCount == 0 ? NodeView.emptyBlobFlags : NodeView.blobFlags)
    }

    // MARK: One blob for each value

    private func spliceBig(
        _ slot: RefSlot, _ leaf: SlabNode, _ i: Int, _ value: ByteView?, _ kind: EditKind
    ) throws(RealmError) -> Bool {
        guard i < leaf.count || (kind == .insert && i == leaf.count) else {
            throw nodes.outside(slot)
        }
        if let value, value.count + terminator > BytesLeaf.maximumBlobSize { return false }
        let blob = try value.map { (value) throws(RealmError) in
            try context.encoder.blob(value, terminator: terminator).raw
        }
        if kind == .insert {
            let node = try nodes.ensureCapacity(slot, for: leaf.count + 1)
            node.open(i)
            node.slots[i] = blob ?? 0
        } else {
            if let old = leaf.view.slot(i).child { try nodes.freeDeep(old) }
            leaf.slots[i] = blob ?? 0
        }
        return true
    }
}

extension ColumnEditor {
    /// Copies the bytes of a value to the arena if they are stored in a node of the transaction,
    /// where an edit may move them.
    @inline(__always)
    func copiedIfInTransaction(_ value: Value) -> Value {
        guard let bytes = value.bytes, nodes.slab.holds(bytes.base) else { return value }
        return context.arena.copy(value)
    }
}

extension Value {
    @inline(__always)
    fileprivate var bytes: ByteView? {
        switch self {
        case .string(let v), .binary(let v): v
        default: nil
        }
    }
}
