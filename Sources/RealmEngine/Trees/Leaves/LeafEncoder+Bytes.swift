/// Encoding of strings and binaries. The longest value determines the form of the leaf (object
/// format 3.5, 3.7).
extension LeafEncoder {
    private static let maximumShortSize = 15
    private static let maximumMediumStringSize = 63
    private static let maximumSmallBinarySize = 64

    /// Maximum number of bytes of a value in a medium leaf.
    @inline(__always)
    static func maximumMediumSize(isString: Bool) -> Int {
        isString ? maximumMediumStringSize : maximumSmallBinarySize
    }

    /// Writes a leaf with the values of `buffer`. Blobs that the buffer references are reused.
    func bytes(
        _ cells: ByteCells, of buffer: LeafBuffer, isString: Bool
    ) throws(RealmError) -> Ref {
        if let short = try shortOrMedium(cells, isString: isString) {
            try buffer.dropBlobs(context)
            return short
        }
        let refs = try blobs(cells, terminator: isString ? 1 : 0, known: buffer.blobs)
        buffer.setBlobs(refs)
        return try encoder.refs(refs.map(\.raw), flags: NodeView.contextFlag)
    }

    /// Writes a leaf with the values of `cells`, including a new blob for each value if one is too
    /// long for the other forms.
    func bytes(_ cells: ByteCells, isString: Bool) throws(RealmError) -> Ref {
        if let short = try shortOrMedium(cells, isString: isString) { return short }
        let refs = try blobs(cells, terminator: isString ? 1 : 0, known: [])
        return try encoder.refs(refs.map(\.raw), flags: NodeView.contextFlag)
    }

    /// Writes a leaf with cells of one width (short form), or with the bytes of all values in one
    /// array (medium form). Returns nil if a value is too long for both forms.
    private func shortOrMedium(
        _ cells: ByteCells, isString: Bool
    ) throws(RealmError) -> Ref? {
        let maximumSize = cells.maximumSize
        if isString, maximumSize <= Self.maximumShortSize {
            return try short(cells, maximumSize: maximumSize)
        }
        if maximumSize <= (isString ? Self.maximumMediumStringSize : Self.maximumSmallBinarySize) {
            return try medium(cells, terminator: isString ? 1 : 0)
        }
        return nil
    }

    private func short(_ cells: ByteCells, maximumSize: Int) throws(RealmError) -> Ref {
        var code: UInt8 = 0
        if maximumSize >= 0 {
            code = 1
            while (1 << Int(code)) >> 1 < maximumSize + 1 { code += 1 }
        }
        let width = (1 << Int(code)) >> 1
        let (ref, payload) = try encoder.slab.node(
            flags: NodeView.bytesFlag | code, count: cells.count)
        if width == 0 { return ref }
        payload.initializeMemory(as: UInt8.self, repeating: 0, count: cells.count * width)
        for i in 0..<cells.count {
            let cell = payload + i * width
            var padding = width
            if let v = cells[i] {
                cell.copyMemory(from: v.base, byteCount: v.count)
                padding = width - 1 - v.count
            }
            cell.storeBytes(
                of: UInt8(truncatingIfNeeded: padding), toByteOffset: width - 1, as: UInt8.self)
        }
        return ref
    }

    private func medium(_ cells: ByteCells, terminator: Int) throws(RealmError) -> Ref {
        let n = cells.count
        let numbers = UnsafeMutablePointer<Int64>.allocate(capacity: 2 * n)
        defer { numbers.deallocate() }
        let (offsets, nulls) = (numbers, numbers + n)
        var end = 0
        for i in 0..<n {
            let isNull = cells.addresses[i] == 0
            // A null string takes one byte, for its terminator; a null binary takes none.
            end &+= (isNull ? 0 : Int(cells.counts[i])) &+ terminator
            offsets[i] = Int64(end)
            nulls[i] = isNull ? 1 : 0
        }
        let blobFlags = end == 0 ? NodeView.emptyBlobFlags : NodeView.blobFlags
        let (area, payload) = try encoder.slab.node(flags: blobFlags, count: end)
        var at = 0
        for i in 0..<n {
            if let bytes = cells[i] {
                (payload + at).copyMemory(from: bytes.base, byteCount: bytes.count)
                at &+= bytes.count
            }
            if terminator > 0 {
                payload.storeBytes(of: 0, toByteOffset: at, as: UInt8.self)
                at &+= 1
            }
        }
        let ends = try encoder.integers(UnsafeBufferPointer(start: offsets, count: n))
        let flags = try encoder.integers(UnsafeBufferPointer(start: nulls, count: n))
        return try encoder.refs([ends.raw, area.raw, flags.raw])
    }

    /// Returns a blob for each value; none for null. Reuses the blobs in `known`.
    private func blobs(
        _ cells: ByteCells, terminator: Int, known: ContiguousArray<Ref>
    ) throws(RealmError) -> ContiguousArray<Ref> {
        var refs = ContiguousArray<Ref>()
        refs.reserveCapacity(cells.count + 1)
        for i in 0..<cells.count {
            if !known.isEmpty, !known[i].isNone {
                refs.append(known[i])
            } else if let bytes = cells[i] {
                refs.append(
                    bytes.count + terminator <= BytesLeaf.maximumBlobSize
                        ? try encoder.blob(bytes, terminator: terminator) : try parts(bytes))
            } else {
                refs.append(.none)
            }
        }
        return refs
    }

    /// Writes a binary that is too long for one blob as several blobs. Only changesets are so long;
    /// properties have limits.
    private func parts(_ bytes: ByteView) throws(RealmError) -> Ref {
        var refs: [UInt64] = []
        var at = 0
        while at < bytes.count {
            let count = min(BytesLeaf.maximumBlobSize, bytes.count - at)
            refs.append(try encoder.blob(ByteView(bytes.base + at, count: count)).raw)
            at += count
        }
        return try encoder.refs(refs, flags: NodeView.contextFlag)
    }
}
