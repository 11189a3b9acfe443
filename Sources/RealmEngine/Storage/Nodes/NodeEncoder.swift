/// Encodes arrays of integers and refs as nodes (storage format section 2). The nodes are created
/// in the slab, the memory for nodes that are not in the file.
struct NodeEncoder {
    let slab: SlabNodes

    /// Returns the width code of the smallest width that holds every value of an int-array.
    @inline(__always)
    static func widthCode(_ values: UnsafeBufferPointer<Int64>) -> UInt8 {
        var bits: Int64 = 0
        for value in values { bits |= value }
        // Usually no value is negative; then the bitwise OR of all values determines the width.
        if bits >= 0 { return widthCode(magnitude: bits, isNegative: false) }
        var magnitude: Int64 = 0
        for value in values { magnitude |= value ^ (value >> 63) }
        return widthCode(magnitude: magnitude, isNegative: true)
    }

    @inline(__always)
    static func widthCode(magnitude: Int64, isNegative: Bool) -> UInt8 {
        if !isNegative, magnitude < 16 {
            return magnitude == 0 ? 0 : magnitude == 1 ? 1 : magnitude < 4 ? 2 : 3
        }
        return magnitude < 1 << 7 ? 4 : magnitude < 1 << 15 ? 5 : magnitude < 1 << 31 ? 6 : 7
    }

    /// Packs values in the width `code`, which must be sufficient for each of them.
    @inline(__always)
    static func pack(
        _ values: UnsafeBufferPointer<Int64>, _ code: UInt8, into p: UnsafeMutableRawPointer
    ) {
        let n = values.count
        switch code {
        case 0: return
        case 1, 2, 3: packBits(values, width: (1 << Int(code)) >> 1, into: p)
        case 4:
            for i in 0..<n {
                p.storeBytes(
                    of: Int8(truncatingIfNeeded: values[i]), toByteOffset: i, as: Int8.self)
            }
        case 5:
            let q = p.assumingMemoryBound(to: Int16.self)
            for i in 0..<n { q[i] = Int16(truncatingIfNeeded: values[i]) }
        case 6:
            let q = p.assumingMemoryBound(to: Int32.self)
            for i in 0..<n { q[i] = Int32(truncatingIfNeeded: values[i]) }
        default:
            if let from = values.baseAddress { p.copyMemory(from: from, byteCount: n * 8) }
        }
    }

    private static func packBits(
        _ values: UnsafeBufferPointer<Int64>, width: Int, into p: UnsafeMutableRawPointer
    ) {
        let perByte = 8 / width
        var i = 0
        var at = 0
        while i < values.count {
            var byte: UInt8 = 0
            for k in 0..<min(perByte, values.count - i) {
                byte |= UInt8(truncatingIfNeeded: values[i + k]) << UInt8(k * width)
            }
            p.storeBytes(of: byte, toByteOffset: at, as: UInt8.self)
            i += perByte
            at += 1
        }
    }

    /// Creates an int-array of the smallest sufficient width.
    func integers(_ values: UnsafeBufferPointer<Int64>, flags: UInt8 = 0) throws(RealmError) -> Ref
    {
        let code = Self.widthCode(values)
        let (ref, payload) = try slab.node(flags: flags | code, count: values.count)
        Self.pack(values, code, into: payload)
        return ref
    }

    func integers(_ values: [Int64], flags: UInt8 = 0) throws(RealmError) -> Ref {
        try values.withUnsafeBufferPointer { (buffer) throws(RealmError) in
            try integers(buffer, flags: flags)
        }
    }

    /// Creates a uint-array: width at least 8, values unsigned (object format section 0).
    func unsigned(_ values: [UInt64]) throws(RealmError) -> Ref {
        let largest = values.max() ?? 0
        let code: UInt8 = largest < 1 << 8 ? 4 : largest < 1 << 16 ? 5 : largest < 1 << 32 ? 6 : 7
        let (ref, payload) = try slab.node(flags: code, count: values.count)
        values.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: Int64.self) { Self.pack($0, code, into: payload) }
        }
        return ref
    }

    /// Creates a node with refs: each slot is a ref, 0 or a tagged integer.
    func refs(_ slots: [UInt64], flags: UInt8 = 0) throws(RealmError) -> Ref {
        try slots.withUnsafeBufferPointer { (buffer) throws(RealmError) in
            try buffer.withMemoryRebound(to: Int64.self) { (signed) throws(RealmError) in
                try integers(signed, flags: flags | NodeView.hasRefsFlag)
            }
        }
    }

    /// Creates a blob of the given bytes and `terminator` zero bytes.
    func blob(_ bytes: ByteView, terminator: Int = 0) throws(RealmError) -> Ref {
        let (ref, payload) = try slab.node(
            flags: NodeView.blobFlags, count: bytes.count + terminator)
        payload.copyMemory(from: bytes.base, byteCount: bytes.count)
        if terminator > 0 { payload.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self) }
        return ref
    }

    @inline(__always) static func tag(_ value: Int) -> UInt64 { UInt64(value) << 1 | 1 }
    @inline(__always) static func tag(_ value: UInt64) -> UInt64 { value << 1 | 1 }
}
