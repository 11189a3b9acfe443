/// Writes leaves: the inverse of `ColumnLeaf` (object format section 3).
struct LeafEncoder {
    let context: EditContext
    var encoder: NodeEncoder { context.encoder }

    /// Writes a leaf of a cluster column, or, with `isElement`, of a collection.
    func encode(
        _ buffer: LeafBuffer, _ layout: LeafLayout, isElement: Bool
    ) throws(RealmError) -> Ref {
        if buffer.cells.form != .values { return try encode(buffer) }
        if layout.collection != nil { return try cells(buffer) }
        switch layout.type {
        case .int: return layout.isNullable ? try nullableIntegers(buffer) : try integers(buffer)
        case .bool: return try bools(buffer)
        case .string: return try bytes(buffer, isString: true)
        case .binary: return try bytes(buffer, isString: false)
        case .timestamp: return try timestamps(buffer)
        case .float: return try floats(buffer)
        case .double: return try doubles(buffer)
        case .decimal: return try decimals(buffer)
        case .objectID: return try fixed(buffer, width: 12)
        case .uuid: return try fixed(buffer, width: 16)
        case .link: return try links(buffer, offset: isElement ? 0 : 1)
        case .backlink: return try slots(buffer)
        case .mixed: return try ColumnEditor(context, layout).mixedLeaf(buffer.values)
        case .typedLink:
            throw .misuse("typed link columns cannot be written", reason: "unsupported-type")
        }
    }

    /// The values as integers.
    private func numbers(_ buffer: LeafBuffer, _ convert: (Value) -> Int64) -> [Int64] {
        [Int64](unsafeUninitializedCapacity: buffer.count) { numbers, count in
            count = buffer.count
            let values = buffer.values
            for i in 0..<values.count { numbers[i] = convert(values[i]) }
        }
    }

    private func integers(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        try encoder.integers(numbers(buffer) { if case .int(let v) = $0 { v } else { 0 } })
    }

    private func bools(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        try encoder.integers(
            numbers(buffer) { if case .bool(let v) = $0 { v ? 1 : 0 } else { 3 } })
    }

    private func links(_ buffer: LeafBuffer, offset: Int64) throws(RealmError) -> Ref {
        try encoder.integers(
            numbers(buffer) {
                if case .link(let v) = $0 { v.key.raw &+ offset } else { offset - 1 }
            })
    }

    /// Backlink cells: raw slots.
    private func slots(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        try encoder.integers(
            numbers(buffer) { if case .int(let v) = $0 { v } else { 0 } },
            flags: NodeView.hasRefsFlag)
    }

    private func cells(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        try encoder.integers(
            numbers(buffer) { Int64(bitPattern: $0.collectionRoot?.raw ?? 0) },
            flags: NodeView.hasRefsFlag)
    }

    private func nullableIntegers(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        let values = buffer.values
        return try nullable(buffer.count) { if case .int(let v) = values[$0] { v } else { nil } }
    }

    /// Element 0 is the null marker, dictated by the width (object format 3.2).
    @inline(__always)
    func nullable(_ n: Int, _ number: (Int) -> Int64?) throws(RealmError) -> Ref {
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
        let marker = code == 7 ? Self.unusedValue(numbers, n) : Self.upperBound[Int(code)]
        numbers[0] = marker
        for i in nulls { numbers[i] = marker }
        let (ref, payload) = try encoder.slab.node(flags: code, count: n + 1)
        NodeEncoder.pack(
            UnsafeBufferPointer(rebasing: numbers[0...n]), code, into: payload)
        return ref
    }

    /// Largest value of each width, the null marker below 64 bits.
    static let upperBound: [Int64] = [
        0, 1, 3, 15, 127, 32767, 0x7FFF_FFFF, .max,
    ]

    private static func unusedValue(_ numbers: UnsafeMutableBufferPointer<Int64>, _ n: Int) -> Int64
    {
        let used = Set(numbers[1..<(n + 1)])
        var candidate = Int64.max
        while used.contains(candidate) { candidate &-= 1 }
        return candidate
    }

    private func timestamps(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        let values = buffer.values
        let seconds = try nullable(buffer.count) {
            if case .timestamp(let v) = values[$0] { v.seconds } else { nil }
        }
        let nanoseconds = try encoder.integers(
            numbers(buffer) {
                if case .timestamp(let v) = $0 { Int64(v.nanoseconds) } else { 0 }
            })
        return try encoder.refs([seconds.raw, nanoseconds.raw])
    }

    private func floats(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        let (ref, payload) = try encoder.slab.node(flags: 0x08 | 3, count: buffer.count)
        let bits = payload.assumingMemoryBound(to: UInt32.self)
        for i in 0..<buffer.count {
            if case .float(let v) = buffer.values[i] {
                bits[i] = v.bitPattern
            } else {
                bits[i] = FloatLeaf.nullBits
            }
        }
        return ref
    }

    private func doubles(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        let (ref, payload) = try encoder.slab.node(flags: 0x08 | 4, count: buffer.count)
        let bits = payload.assumingMemoryBound(to: UInt64.self)
        for i in 0..<buffer.count {
            if case .double(let v) = buffer.values[i] {
                bits[i] = v.bitPattern
            } else {
                bits[i] = DoubleLeaf.nullBits
            }
        }
        return ref
    }

    /// Ids in blocks of eight behind a byte of null bits (object format 3.9).
    private func fixed(_ buffer: LeafBuffer, width: Int) throws(RealmError) -> Ref {
        let n = buffer.count
        let size = n * width + (n + 7) / 8
        let (ref, p) = try encoder.slab.node(flags: n == 0 ? 0x08 : 0x09, count: size)
        for i in 0..<n {
            let block = p + (i >> 3) * (8 * width + 1)
            if i & 7 == 0 { block.storeBytes(of: 0, as: UInt8.self) }
            let at = block + 1 + (i & 7) * width
            switch buffer.values[i] {
            case .objectID(let v): v.store(to: at)
            case .uuid(let v): v.store(to: at)
            default:
                block.storeBytes(
                    of: block.load(as: UInt8.self) | 1 << UInt8(i & 7), as: UInt8.self)
                at.initializeMemory(as: UInt8.self, repeating: 0, count: width)
            }
        }
        return ref
    }

    private func decimals(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        var width = 0
        var hasNull = false
        var hasZero = false
        for value in buffer.values {
            guard case .decimal(let v) = value else {
                hasNull = true
                continue
            }
            if v == .zero { hasZero = true } else { width = max(width, v.packedWidth) }
        }
        if width == 0, hasNull, hasZero { width = 4 }
        let code: UInt8 = width == 0 ? 0 : width == 4 ? 3 : width == 8 ? 4 : 5
        let zeros = width == 0 && hasZero ? NodeView.contextFlag : 0
        let (ref, p) = try encoder.slab.node(flags: 0x08 | code | zeros, count: buffer.count)
        if width == 0 { return ref }
        for i in 0..<buffer.count {
            var v = Decimal128.null
            if case .decimal(let stored) = buffer.values[i] { v = stored }
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
