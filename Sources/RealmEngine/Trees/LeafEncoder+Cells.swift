/// Leaves of a cluster column straight from their cells.
extension LeafEncoder {
    /// Writes a leaf of the first `count` cells.
    func encode(_ cells: LeafCells, count: Int) throws(RealmError) -> Ref {
        precondition(count <= cells.capacity)
        let words = UnsafeBufferPointer(start: cells.words, count: count)
        switch cells.form {
        case .numbers: return try numbers(cells, words)
        case .optionalNumbers:
            return try nullable(count) { cells.extras[$0] != 0 ? nil : words[$0] }
        case .bytes:
            let bytes = ByteCells(addresses: cells.words, counts: cells.extras, count: count)
            return try self.bytes(bytes, isString: cells.layout.type == .string)
        case .times: return try times(cells, words)
        case .values:
            let buffer = LeafBuffer(capacity: count)
            for i in 0..<count { buffer.append(cells.values[i]) }
            return try encode(buffer, cells.layout, isElement: false)
        }
    }

    /// Writes a leaf of the cells that a buffer keeps instead of values.
    func encode(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        let cells = buffer.cells
        guard cells.form == .bytes else { return try encode(cells, count: buffer.count) }
        let bytes = ByteCells(addresses: cells.words, counts: cells.extras, count: buffer.count)
        return try self.bytes(bytes, of: buffer, isString: cells.layout.type == .string)
    }

    private func numbers(
        _ cells: LeafCells, _ words: UnsafeBufferPointer<Int64>
    ) throws(RealmError) -> Ref {
        if cells.layout.collection != nil {
            return try encoder.integers(words, flags: NodeView.hasRefsFlag)
        }
        switch cells.layout.type {
        case .backlink: return try encoder.integers(words, flags: NodeView.hasRefsFlag)
        case .float:
            let (ref, payload) = try encoder.slab.node(flags: 0x08 | 3, count: words.count)
            let bits = payload.assumingMemoryBound(to: UInt32.self)
            for i in 0..<words.count { bits[i] = UInt32(truncatingIfNeeded: words[i]) }
            return ref
        case .double:
            let (ref, payload) = try encoder.slab.node(flags: 0x08 | 4, count: words.count)
            if let base = words.baseAddress {
                payload.copyMemory(from: base, byteCount: 8 * words.count)
            }
            return ref
        case .link:
            // Stored keys are one more, so that no link is 0.
            let keys = [Int64](unsafeUninitializedCapacity: words.count) { keys, count in
                count = words.count
                for i in 0..<words.count { keys[i] = words[i] &+ 1 }
            }
            return try encoder.integers(keys)
        default: return try encoder.integers(words)
        }
    }

    private func times(
        _ cells: LeafCells, _ words: UnsafeBufferPointer<Int64>
    ) throws(RealmError) -> Ref {
        let seconds = try nullable(words.count) {
            cells.extras[$0] == LeafCells.nullTime ? nil : words[$0]
        }
        let nanoseconds = [Int64](unsafeUninitializedCapacity: words.count) { numbers, count in
            count = words.count
            for i in 0..<words.count {
                numbers[i] = cells.extras[i] == LeafCells.nullTime ? 0 : cells.extras[i]
            }
        }
        return try encoder.refs([seconds.raw, try encoder.integers(nanoseconds).raw])
    }
}
