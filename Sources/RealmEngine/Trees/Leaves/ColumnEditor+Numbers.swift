/// Edits of number leaves, in which each type has its own representation of null.
extension ColumnEditor {
    // MARK: Optional integers

    func setOptional(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        if let number = try stored(slot, value) {
            try nodes.setInteger(slot, i + NullableIntegerLeaf.first, number)
        } else {
            try rebuild(slot) { (leaf) throws(RealmError) in try leaf.set(value, at: i, context) }
        }
    }

    func insertOptional(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        if let number = try stored(slot, value) {
            try nodes.insertInteger(slot, i + NullableIntegerLeaf.first, number)
        } else {
            try rebuild(slot) { (leaf) in leaf.insert(value, at: i) }
        }
    }

    private func stored(_ slot: RefSlot, _ value: Value) throws(RealmError) -> Int64? {
        if case .int(let v) = value { return try storedOptional(slot, v) }
        return try storedOptional(slot, nil)
    }

    /// Returns the element that represents a value, or null, in the array at `slot`. Returns nil if
    /// the array must be rewritten first with another null marker, which depends on its width
    /// (object format 3.2).
    @inline(__always)
    func storedOptional(_ slot: RefSlot, _ value: Int64?) throws(RealmError) -> Int64? {
        let node = try nodes.makeWritable(slot)
        guard node.count > 0 else { throw nodes.outside(slot) }
        let view = node.view
        let marker = view.nullMarker
        let code = Int(node.flags & 7)
        guard code == 7 || marker == NullableIntegerLeaf.markers[code] else { return nil }
        guard let value else { return marker }
        return value != marker && NodeMutator.Sign.usual.code(value) <= code ? value : nil
    }

    // MARK: Cells of whole bytes

    func setCell(_ slot: RefSlot, _ i: Int, _ bits: Int64) throws(RealmError) {
        let node = try nodes.makeWritable(slot)
        guard i < node.count else { throw nodes.outside(slot) }
        store(node, i, bits)
    }

    func insertCell(_ slot: RefSlot, _ i: Int, _ bits: Int64) throws(RealmError) {
        store(try openCell(slot, i), i, bits)
    }

    private func store(_ node: SlabNode, _ i: Int, _ bits: Int64) {
        if layout.type == .float {
            node.payload.storeBytes(
                of: UInt32(truncatingIfNeeded: bits), toByteOffset: 4 * i, as: UInt32.self)
        } else {
            node.payload.storeBytes(of: bits, toByteOffset: 8 * i, as: Int64.self)
        }
    }

    /// Inserts an uninitialised cell before cell `i`.
    func openCell(_ slot: RefSlot, _ i: Int) throws(RealmError) -> SlabNode {
        var node = try nodes.makeWritable(slot)
        let (count, width) = (node.count, node.view.width)
        guard i <= count else { throw nodes.outside(slot) }
        node = try nodes.ensureCapacity(slot, for: count + 1)
        node.resize(count + 1)
        if i < count {
            (node.payload + (i + 1) * width).copyMemory(
                from: node.payload + i * width, byteCount: (count - i) * width)
        }
        return node
    }

    func removeCell(_ slot: RefSlot, _ i: Int) throws(RealmError) {
        let node = try nodes.makeWritable(slot)
        let (count, width) = (node.count, node.view.width)
        guard i < count else { throw nodes.outside(slot) }
        (node.payload + i * width).copyMemory(
            from: node.payload + (i + 1) * width, byteCount: (count - i - 1) * width)
        node.resize(count - 1)
    }

    // MARK: Decimals

    /// Replaces a decimal in place; returns false if the value needs larger cells.
    func setDecimal(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) -> Bool {
        guard let decimal = try fitting(slot, value) else { return false }
        let node = try nodes.makeWritable(slot)
        guard i < node.count else { throw nodes.outside(slot) }
        store(node, i, decimal)
        return true
    }

    func insertDecimal(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) -> Bool {
        guard let decimal = try fitting(slot, value) else { return false }
        store(try openCell(slot, i), i, decimal)
        return true
    }

    private func fitting(_ slot: RefSlot, _ value: Value) throws(RealmError) -> Decimal128? {
        let width = try nodes.makeWritable(slot).view.width
        guard width > 0 else { return nil }
        guard case .decimal(let decimal) = value else { return .null }
        return decimal.packedWidth <= width ? decimal : nil
    }

    private func store(_ node: SlabNode, _ i: Int, _ value: Decimal128) {
        let p = node.payload
        switch node.view.width {
        case 4: p.storeBytes(of: value.packed32, toByteOffset: 4 * i, as: UInt32.self)
        case 8: p.storeBytes(of: value.packed64, toByteOffset: 8 * i, as: UInt64.self)
        default:
            p.storeBytes(of: value.low, toByteOffset: 16 * i, as: UInt64.self)
            p.storeBytes(of: value.high, toByteOffset: 16 * i + 8, as: UInt64.self)
        }
    }

    // MARK: Ids

    private var ids: IDBlocks {
        IDBlocks(width: layout.type == .objectID ? ObjectID.byteCount : UUIDValue.byteCount)
    }

    /// Number of object ids or UUIDs in a leaf.
    private func idCount(_ node: SlabNode) -> Int {
        ids.count(node.view.width == 0 ? 0 : node.count)
    }

    func setID(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        let node = try nodes.makeWritable(slot)
        guard i < idCount(node) else { throw nodes.outside(slot) }
        store(value, idLocation(node, i))
    }

    func insertID(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        var node = try nodes.makeWritable(slot)
        let count = idCount(node)
        guard i <= count else { throw nodes.outside(slot) }
        if node.view.width == 0 { node.resize(0, flags: NodeView.bytesFlag | 1) }
        node = try nodes.ensureCapacity(slot, for: ids.size(count + 1))
        node.resize(ids.size(count + 1))
        let last = idLocation(node, count)
        if count & 7 == 0 { last.nulls.storeBytes(of: 0, as: UInt8.self) }
        for row in stride(from: count, to: i, by: -1) { moveID(node, from: row - 1, to: row) }
        store(value, idLocation(node, i))
    }

    func removeID(_ slot: RefSlot, _ i: Int) throws(RealmError) {
        let node = try nodes.makeWritable(slot)
        let count = idCount(node)
        guard i < count else { throw nodes.outside(slot) }
        for row in i + 1..<count { moveID(node, from: row, to: row - 1) }
        idLocation(node, count - 1).setNull(false)
        node.resize(ids.size(count - 1))
    }

    private func moveID(_ node: SlabNode, from: Int, to: Int) {
        let (from, to) = (idLocation(node, from), idLocation(node, to))
        to.bytes.copyMemory(from: from.bytes, byteCount: ids.width)
        to.setNull(from.isNull)
    }

    /// Location in a leaf of an id and of the bit that marks it as null.
    private struct IDLocation {
        let bytes: UnsafeMutableRawPointer
        let nulls: UnsafeMutableRawPointer
        let bit: UInt8

        @inline(__always) var isNull: Bool { nulls.load(as: UInt8.self) & bit != 0 }

        @inline(__always)
        func setNull(_ isNull: Bool) {
            let others = nulls.load(as: UInt8.self) & ~bit
            nulls.storeBytes(of: isNull ? others | bit : others, as: UInt8.self)
        }
    }

    @inline(__always)
    private func idLocation(_ node: SlabNode, _ i: Int) -> IDLocation {
        IDLocation(
            bytes: node.payload + ids.offset(i), nulls: node.payload + ids.nulls(i),
            bit: IDBlocks.bit(i))
    }

    private func store(_ value: Value, _ place: IDLocation) {
        switch value {
        case .objectID(let v): v.store(to: place.bytes)
        case .uuid(let v): v.store(to: place.bytes)
        default:
            place.bytes.initializeMemory(as: UInt8.self, repeating: 0, count: ids.width)
            return place.setNull(true)
        }
        place.setNull(false)
    }

    // MARK: Times

    func setTime(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        let parts = try nodes.writableRefs(slot)
        guard let seconds = try storedOptional(parts.slots, value.time?.seconds) else {
            return try rebuild(slot) { (leaf) throws(RealmError) in
                try leaf.set(value, at: i, context)
            }
        }
        try nodes.setInteger(parts.slots, i + NullableIntegerLeaf.first, seconds)
        try nodes.setInteger(
            parts.slots + TimestampLeafShape.nanoseconds, i, Int64(value.time?.nanoseconds ?? 0))
    }

    func insertTime(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) {
        let parts = try nodes.writableRefs(slot)
        guard let seconds = try storedOptional(parts.slots, value.time?.seconds) else {
            return try rebuild(slot) { (leaf) in leaf.insert(value, at: i) }
        }
        try nodes.insertInteger(parts.slots, i + NullableIntegerLeaf.first, seconds)
        try nodes.insertInteger(
            parts.slots + TimestampLeafShape.nanoseconds, i, Int64(value.time?.nanoseconds ?? 0))
    }

    func removeTime(_ slot: RefSlot, _ i: Int) throws(RealmError) {
        let parts = try nodes.writableRefs(slot)
        try nodes.removeInteger(parts.slots, i + NullableIntegerLeaf.first)
        try nodes.removeInteger(parts.slots + TimestampLeafShape.nanoseconds, i)
    }
}

extension Value {
    @inline(__always)
    fileprivate var time: Timestamp? {
        if case .timestamp(let v) = self { v } else { nil }
    }
}
