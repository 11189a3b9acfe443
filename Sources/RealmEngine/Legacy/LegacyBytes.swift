/// The strings or binaries of a leaf in formats 2 to 9, in any of the forms of these formats
/// (legacy format 5.4, 5.5).
struct LegacyBytes {
    private enum Form {
        /// The leaf has a form that the current format also has: elements of equal size, or one
        /// blob per value.
        case same(BytesLeaf)
        case area(Area)
    }

    private struct Area {
        let ends: NodeView
        let bytes: NodeView
        /// One flag per value. In a leaf of strings, 0 means null; in a leaf of binaries, 1 means
        /// null. The node is nil if no value is null.
        let flags: NodeView?
    }

    private let form: Form
    private let isString: Bool
    private let isNullable: Bool
    private let ref: Ref

    init(
        _ space: NodeSpace, _ leaf: LegacyLeaf, isString: Bool, isNullable: Bool
    ) throws(RealmError) {
        (self.isString, self.isNullable, ref) = (isString, isNullable, leaf.ref)
        let node = leaf.node
        if !node.hasRefs || node.context {
            let same =
                try isString
                ? BytesLeaf(strings: space, leaf.ref) : BytesLeaf(binaries: space, leaf.ref)
            form = .same(same)
            return
        }
        let ends = try space.integers(node.slot(MediumBytesShape.ends).ref, "end offsets")
        let bytes = try space.node(node.slot(MediumBytesShape.area).ref)
        guard !bytes.hasRefs, bytes.widthType == 2 || bytes.count == 0 else {
            throw space.wrongShape(leaf.ref, "bytes leaf")
        }
        let flags =
            try node.count == MediumBytesShape.count && !node.slot(MediumBytesShape.nulls).isNone
            ? space.integers(node.slot(MediumBytesShape.nulls).ref, "null flags") : nil
        guard flags?.count ?? ends.count == ends.count,
            !isString || ends.count == 0 || (flags != nil) == isNullable
        else { throw space.wrongShape(leaf.ref, "bytes leaf") }
        form = .area(Area(ends: ends, bytes: bytes, flags: flags))
    }

    /// Returns the value at index `i`, which must be below the leaf's count; nil for null. If the
    /// column is required, a null is returned as an empty value.
    func value(_ i: Int) throws(RealmError) -> ByteView? {
        let stored: ByteView? =
            switch form {
            case .same(let leaf): try leaf.value(i)
            case .area(let area): try value(i, area)
            }
        return stored ?? (isNullable ? nil : .empty)
    }

    private func value(_ i: Int, _ area: Area) throws(RealmError) -> ByteView? {
        let start = i == 0 ? 0 : area.ends.integer(i - 1)
        var end = area.ends.integer(i)
        guard start >= 0, start <= end, end <= Int64(area.bytes.count) else {
            throw .corrupt("the ends of values do not ascend in their bytes", at: ref)
        }
        if let flags = area.flags, (flags.integer(i) == 0) == isString { return nil }
        if isString {
            guard start < end, area.bytes.byte(Int(end) - 1) == 0 else {
                throw .corrupt("a string without its terminator", at: ref)
            }
            end -= 1
        }
        return ByteView(area.bytes.payload + Int(start), count: Int(end - start))
    }
}

extension LegacyTree {
    /// Calls `body` with each string or binary of `elements`.
    func forEachValue(
        _ elements: Range<Int>, isNullable: Bool,
        _ body: (ByteView?) throws(RealmError) -> Void
    ) throws(RealmError) {
        try forEachLeaf(elements) { (leaf, rows) throws(RealmError) in
            let bytes = try LegacyBytes(
                space, leaf, isString: form == .strings, isNullable: isNullable)
            for i in rows { try body(bytes.value(i)) }
        }
    }
}
