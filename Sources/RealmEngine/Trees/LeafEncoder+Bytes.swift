/// Strings and binaries: the form follows the longest value (object format 3.5, 3.7).
extension LeafEncoder {
    private static let longestShort = 15
    private static let longestMediumString = 63
    private static let longestSmallBinary = 64

    func bytes(_ buffer: LeafBuffer, isString: Bool) throws(RealmError) -> Ref {
        var longest = -1
        for value in buffer.values {
            if case .string(let v) = value { longest = max(longest, v.count) }
            if case .binary(let v) = value { longest = max(longest, v.count) }
        }
        if isString, longest <= Self.longestShort {
            try buffer.dropBlobs(context)
            return try short(buffer, longest: longest)
        }
        if longest <= (isString ? Self.longestMediumString : Self.longestSmallBinary) {
            try buffer.dropBlobs(context)
            return try medium(buffer, terminator: isString ? 1 : 0)
        }
        return try big(buffer, terminator: isString ? 1 : 0)
    }

    @inline(__always)
    private func view(_ value: Value) -> ByteView? {
        switch value {
        case .string(let v), .binary(let v): v
        default: nil
        }
    }

    private func short(_ buffer: LeafBuffer, longest: Int) throws(RealmError) -> Ref {
        var code: UInt8 = 0
        if longest >= 0 {
            code = 1
            while (1 << Int(code)) >> 1 < longest + 1 { code += 1 }
        }
        let width = (1 << Int(code)) >> 1
        let (ref, payload) = try encoder.slab.node(flags: 0x08 | code, count: buffer.count)
        if width == 0 { return ref }
        payload.initializeMemory(as: UInt8.self, repeating: 0, count: buffer.count * width)
        for i in 0..<buffer.count {
            let cell = payload + i * width
            var padding = width
            if let v = view(buffer.values[i]) {
                cell.copyMemory(from: v.base, byteCount: v.count)
                padding = width - 1 - v.count
            }
            cell.storeBytes(
                of: UInt8(truncatingIfNeeded: padding), toByteOffset: width - 1, as: UInt8.self)
        }
        return ref
    }

    private func medium(_ buffer: LeafBuffer, terminator: Int) throws(RealmError) -> Ref {
        let n = buffer.count
        var offsets: [Int64] = []
        var nulls: [Int64] = []
        offsets.reserveCapacity(n)
        nulls.reserveCapacity(n)
        var end = 0
        for value in buffer.values {
            let bytes = view(value)
            // A null string takes its terminator's byte, a null binary nothing.
            end += (bytes?.count ?? 0) + terminator
            offsets.append(Int64(end))
            nulls.append(bytes == nil ? 1 : 0)
        }
        let (area, payload) = try encoder.slab.node(flags: end == 0 ? 0x10 : 0x11, count: end)
        var at = 0
        for value in buffer.values {
            if let bytes = view(value) {
                (payload + at).copyMemory(from: bytes.base, byteCount: bytes.count)
                at += bytes.count
            }
            if terminator > 0 {
                payload.storeBytes(of: 0, toByteOffset: at, as: UInt8.self)
                at += 1
            }
        }
        let ends = try encoder.integers(offsets)
        let flags = try encoder.integers(nulls)
        return try encoder.refs([ends.raw, area.raw, flags.raw])
    }

    private func big(_ buffer: LeafBuffer, terminator: Int) throws(RealmError) -> Ref {
        var refs = ContiguousArray<Ref>()
        refs.reserveCapacity(buffer.count + 1)
        for i in 0..<buffer.count {
            if !buffer.blobs.isEmpty, !buffer.blobs[i].isNone {
                refs.append(buffer.blobs[i])
            } else if let bytes = view(buffer.values[i]) {
                refs.append(
                    bytes.count + terminator <= BytesLeaf.longestBlob
                        ? try encoder.blob(bytes, terminator: terminator) : try parts(bytes))
            } else {
                refs.append(.none)
            }
        }
        buffer.keepBlobs(refs)
        return try encoder.refs(refs.map(\.raw), flags: NodeView.contextFlag)
    }

    /// A binary too long for one blob: only changesets get here, properties have limits.
    private func parts(_ bytes: ByteView) throws(RealmError) -> Ref {
        var refs: [UInt64] = []
        var at = 0
        while at < bytes.count {
            let count = min(BytesLeaf.longestBlob, bytes.count - at)
            refs.append(try encoder.blob(ByteView(bytes.base + at, count: count)).raw)
            at += count
        }
        return try encoder.refs(refs, flags: NodeView.contextFlag)
    }
}
