/// Writes leaves: the inverse of `ColumnLeaf` (object format section 3).
struct LeafEncoder {
    let context: EditContext
    var encoder: NodeEncoder { context.encoder }

    /// Writes a leaf of a column in a cluster tree or, if `isElement`, a leaf of a collection.
    func encode(_ buffer: LeafBuffer, isElement: Bool) throws(RealmError) -> Ref {
        let cells = buffer.cells
        guard cells.form == .bytes else {
            return try encode(cells, count: buffer.count, isElement: isElement)
        }
        let bytes = ByteCells(addresses: cells.words, counts: cells.extras, count: buffer.count)
        return try self.bytes(bytes, of: buffer, isString: cells.layout.type == .string)
    }

    /// Writes a leaf with the first `count` cells. Long values get new blobs.
    func encode(
        _ cells: LeafCells, count: Int, isElement: Bool = false
    ) throws(RealmError) -> Ref {
        precondition(count <= cells.capacity)
        let words = UnsafeBufferPointer(start: cells.words, count: count)
        switch cells.form {
        case .numbers: return try numbers(cells, words, isElement: isElement)
        case .optionalNumbers:
            return try nullable(count) { cells.extras[$0] != 0 ? nil : words[$0] }
        case .bytes:
            let bytes = ByteCells(addresses: cells.words, counts: cells.extras, count: count)
            return try self.bytes(bytes, isString: cells.layout.type == .string)
        case .times: return try times(cells, words)
        case .values:
            return try values(
                UnsafeBufferPointer(start: cells.values, count: count), cells.layout)
        }
    }

    /// Writes a leaf with values of a type whose cells are stored as `Value`.
    private func values(
        _ values: UnsafeBufferPointer<Value>, _ layout: LeafLayout
    ) throws(RealmError) -> Ref {
        switch layout.type {
        case .decimal: try decimals(values)
        case .objectID: try fixed(values, IDBlocks(width: ObjectID.byteCount))
        case .uuid: try fixed(values, IDBlocks(width: UUIDValue.byteCount))
        case .mixed: try ColumnEditor(context, layout).mixedLeaf(values)
        default:
            throw .misuse("typed link columns cannot be written", reason: "unsupported-type")
        }
    }

    private func numbers(
        _ cells: LeafCells, _ words: UnsafeBufferPointer<Int64>, isElement: Bool
    ) throws(RealmError) -> Ref {
        if cells.layout.collection != nil {
            return try encoder.integers(words, flags: NodeView.hasRefsFlag)
        }
        switch cells.layout.type {
        case .backlink: return try encoder.integers(words, flags: NodeView.hasRefsFlag)
        case .float:
            let (ref, payload) = try encoder.slab.node(
                flags: NodeView.bytesFlag | 3, count: words.count)
            let bits = payload.assumingMemoryBound(to: UInt32.self)
            for i in 0..<words.count { bits[i] = UInt32(truncatingIfNeeded: words[i]) }
            return ref
        case .double:
            let (ref, payload) = try encoder.slab.node(
                flags: NodeView.bytesFlag | 4, count: words.count)
            if let base = words.baseAddress {
                payload.copyMemory(from: base, byteCount: 8 * words.count)
            }
            return ref
        case .link where !isElement:
            // A link column stores key + 1, so that 0 is null.
            let keys = [Int64](unsafeUninitializedCapacity: words.count) { keys, count in
                count = words.count
                for i in 0..<words.count { keys[i] = words[i] &+ LinkLeaf.keyOffset }
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

    /// Writes an array whose element 0 is the null marker, which depends on the width (object
    /// format 3.2).
    @inline(__always)
    private func nullable(_ n: Int, _ number: (Int) -> Int64?) throws(RealmError) -> Ref {
        let numbers = UnsafeMutableBufferPointer<Int64>.allocate(capacity: n + 1)
        defer { numbers.deallocate() }
        var magnitude: Int64 = 0
        var isNegative = false
        var isWidest = false
        var nulls: [Int] = []
        for i in 0..<n {
            guard let v = number(i) else {
                nulls.append(i + 1)
                numbers[i + 1] = 0
                continue
            }
            numbers[i + 1] = v
            if v < 0 { isNegative = true } else if v == .max { isWidest = true }
            magnitude |= v < 0 ? ~v : v &+ 1
        }
        let code =
            isWidest || magnitude < 0
            ? 7 : NodeEncoder.widthCode(magnitude: magnitude, isNegative: isNegative)
        let marker =
            code == 7 ? Self.unusedValue(numbers, n) : NullableIntegerLeaf.markers[Int(code)]
        numbers[0] = marker
        for i in nulls { numbers[i] = marker }
        let (ref, payload) = try encoder.slab.node(flags: code, count: n + 1)
        NodeEncoder.pack(
            UnsafeBufferPointer(rebasing: numbers[0...n]), code, into: payload)
        return ref
    }

    private static func unusedValue(_ numbers: UnsafeMutableBufferPointer<Int64>, _ n: Int) -> Int64
    {
        let used = Set(numbers[1..<(n + 1)])
        var candidate = Int64.max
        while used.contains(candidate) { candidate &-= 1 }
        return candidate
    }

    /// Writes ids in blocks of eight ids; each block begins with a byte of null bits (object format
    /// 3.9).
    private func fixed(
        _ values: UnsafeBufferPointer<Value>, _ blocks: IDBlocks
    ) throws(RealmError) -> Ref {
        let n = values.count
        let flags = n == 0 ? NodeView.bytesFlag : NodeView.bytesFlag | 1
        let (ref, p) = try encoder.slab.node(flags: flags, count: blocks.size(n))
        for i in 0..<n {
            let nulls = p + blocks.nulls(i)
            if i & 7 == 0 { nulls.storeBytes(of: 0, as: UInt8.self) }
            let at = p + blocks.offset(i)
            switch values[i] {
            case .objectID(let v): v.store(to: at)
            case .uuid(let v): v.store(to: at)
            default:
                nulls.storeBytes(
                    of: nulls.load(as: UInt8.self) | IDBlocks.bit(i), as: UInt8.self)
                at.initializeMemory(as: UInt8.self, repeating: 0, count: blocks.width)
            }
        }
        return ref
    }

    private func decimals(_ values: UnsafeBufferPointer<Value>) throws(RealmError) -> Ref {
        var width = 0
        var hasNull = false
        var hasZero = false
        for value in values {
            guard case .decimal(let v) = value else {
                hasNull = true
                continue
            }
            if v == .zero { hasZero = true } else { width = max(width, v.packedWidth) }
        }
        if width == 0, hasNull, hasZero { width = 4 }
        let code: UInt8 = width == 0 ? 0 : width == 4 ? 3 : width == 8 ? 4 : 5
        let zeros = width == 0 && hasZero ? NodeView.contextFlag : 0
        let (ref, p) = try encoder.slab.node(
            flags: NodeView.bytesFlag | code | zeros, count: values.count)
        if width == 0 { return ref }
        for i in values.indices {
            var v = Decimal128.null
            if case .decimal(let stored) = values[i] { v = stored }
            switch width {
            case 4: p.storeBytes(of: v.packed32, toByteOffset: 4 * i, as: UInt32.self)
            case 8: p.storeBytes(of: v.packed64, toByteOffset: 8 * i, as: UInt64.self)
            default:
                p.storeBytes(of: v.low, toByteOffset: 16 * i, as: UInt64.self)
                p.storeBytes(of: v.high, toByteOffset: 16 * i + 8, as: UInt64.self)
            }
        }
        return ref
    }
}

extension ObjectID {
    @inline(__always) func store(to p: UnsafeMutableRawPointer) {
        p.storeBytes(of: high.byteSwapped, as: UInt64.self)
        p.storeBytes(of: low.byteSwapped, toByteOffset: 8, as: UInt32.self)
    }
}

extension UUIDValue {
    @inline(__always) func store(to p: UnsafeMutableRawPointer) {
        p.storeBytes(of: high.byteSwapped, as: UInt64.self)
        p.storeBytes(of: low.byteSwapped, toByteOffset: 8, as: UInt64.self)
    }
}
