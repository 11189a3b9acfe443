/// Checks the encodings of leaves (object format 11, invariants 14 to 18 and 20). Functions that
/// end in `Form` return the number of elements of the leaf; nil if it cannot be read.
extension IntegrityCheck {
    /// Checks the bytes of a leaf. `isCell` is true for a leaf of a cluster, false for a leaf of a
    /// collection.
    func checkForm(
        _ ref: Ref, _ element: ElementType, distinct: Ref = .none, isCell: Bool = false
    ) -> Int? {
        switch element.type {
        case .int: return element.isNullable ? nullableForm(ref) : integersForm(ref)
        case .bool: return boolForm(ref)
        case .link: return integersForm(ref)
        case .float: return numberForm(ref, width: 4)
        case .double: return numberForm(ref, width: 8)
        case .string: return stringForm(ref, distinct: isCell ? distinct : .none)
        case .binary: return binaryForm(ref)
        case .timestamp: return timestampForm(ref)
        case .decimal: return decimalForm(ref)
        case .objectID: return idForm(ref, IDBlocks(width: ObjectID.byteCount))
        case .uuid: return idForm(ref, IDBlocks(width: UUIDValue.byteCount))
        case .typedLink: return typedLinkForm(ref)
        case .mixed: return mixedForm(ref, isCell: isCell)
        case .backlink: return nil
        }
    }

    /// Opens a plain array of integers and charges its elements to the read budget. Nil if the node
    /// is no plain array or the budget is spent.
    func integers(_ ref: Ref, _ role: StaticString) -> NodeView? {
        let node = reading(ref, .leafShape) { () throws(RealmError) in
            try space.integers(ref, role)
        }
        guard let node, spend(node.count) else { return nil }
        return node
    }

    private func integersForm(_ ref: Ref) -> Int? { integers(ref, "integer leaf")?.count }

    private func nullableForm(_ ref: Ref) -> Int? {
        guard let node = integers(ref, "nullable integer leaf") else { return nil }
        guard node.count >= 1 else {
            found(.leafShape, ref, "a nullable integer leaf without its null marker")
            return nil
        }
        let marker = node.nullMarker
        if node.width < 64, marker != NullableIntegerLeaf.markers[Int(node.widthCode)] {
            found(.nullMarker, ref, "null marker \(marker) in a leaf of \(node.width) bits")
        }
        return node.count - NullableIntegerLeaf.first
    }

    private func boolForm(_ ref: Ref) -> Int? {
        guard let node = integers(ref, "bool leaf") else { return nil }
        if node.width == 0 || node.width == 1 { return node.count }
        for i in 0..<node.count where ![0, 1, BoolLeaf.null].contains(node.integer(i)) {
            found(.boolValue, ref, "\(node.integer(i)) where a bool belongs")
        }
        return node.count
    }

    private func typedLinkForm(_ ref: Ref) -> Int? {
        guard let node = integers(ref, "typed link leaf") else { return nil }
        if node.count & 1 != 0 { found(.leafShape, ref, "half a typed link") }
        return node.count / 2
    }

    /// Opens a node without references whose width is given in bytes; nil for any other node.
    private func bytesNode(_ ref: Ref, _ role: StaticString) -> NodeView? {
        let node = reading(ref, .leafShape) { () throws(RealmError) in
            let node = try space.node(ref)
            guard !node.hasRefs, node.widthType == 1 else { throw space.wrongShape(ref, role) }
            return node
        }
        guard let node, spend(node.count) else { return nil }
        return node
    }

    private func numberForm(_ ref: Ref, width: Int) -> Int? {
        guard let node = bytesNode(ref, "float or double leaf") else { return nil }
        guard node.width == width else {
            found(.leafShape, ref, "numbers of \(node.width) bytes instead of \(width)")
            return nil
        }
        return node.count
    }

    private func timestampForm(_ ref: Ref) -> Int? {
        let parts = reading(ref, .timestampForm) { () throws(RealmError) in
            try space.refNode(ref, slots: TimestampLeafShape.count, "timestamp leaf")
        }
        guard let parts, let count = nullableForm(parts.slot(TimestampLeafShape.seconds).ref),
            let seconds = integers(parts.slot(TimestampLeafShape.seconds).ref, "seconds"),
            let nanoseconds = integers(
                parts.slot(TimestampLeafShape.nanoseconds).ref, "nanoseconds")
        else { return nil }
        guard parts.count == TimestampLeafShape.count, nanoseconds.count == count else {
            found(.timestampForm, ref, "\(nanoseconds.count) nanoseconds for \(count) seconds")
            return nil
        }
        for i in 0..<count {
            let (s, n) = (
                seconds.integer(i + NullableIntegerLeaf.first), nanoseconds.integer(i)
            )
            if s == seconds.nullMarker { continue }
            if n.magnitude > 999_999_999 || s > 0 && n < 0 || s < 0 && n > 0 {
                found(.timestampForm, ref, "a timestamp of \(s) seconds and \(n) nanoseconds")
            }
        }
        return count
    }

    private func decimalForm(_ ref: Ref) -> Int? {
        guard let node = bytesNode(ref, "decimal leaf") else { return nil }
        guard [0, 4, 8, 16].contains(node.width) else {
            found(.leafShape, ref, "decimals of \(node.width) bytes")
            return nil
        }
        if header.format < FileFormat.current, node.width != 16, node.count > 0 {
            found(.decimalForm, ref, "decimals of \(node.width) bytes in format \(header.format)")
        }
        for i in 0..<node.count where isSpecial(node, i) {
            found(.decimalForm, ref, "a special number in decimals of \(node.width) bytes")
        }
        return node.count
    }

    /// Whether the decimal at index `i` cannot be stored in fewer bytes: it has a large
    /// coefficient, or is an infinity or a NaN other than null.
    private func isSpecial(_ node: NodeView, _ i: Int) -> Bool {
        switch node.width {
        case 4:
            let bits = node.payload.load(fromByteOffset: 4 * i, as: UInt32.self)
            return bits & 0x6000_0000 == 0x6000_0000 && bits != 0x7C00_00AA
        case 8:
            let bits = node.payload.load(fromByteOffset: 8 * i, as: UInt64.self)
            return bits & 0x6000 << 48 == 0x6000 << 48 && bits != 0x7C00_0000_0000_00AA
        default: return false
        }
    }

    private func idForm(_ ref: Ref, _ blocks: IDBlocks) -> Int? {
        guard let node = bytesNode(ref, "leaf of ids") else { return nil }
        guard node.width <= 1, node.width == 1 || node.count == 0 else {
            found(.leafShape, ref, "a leaf of ids of width \(node.width)")
            return nil
        }
        let count = blocks.count(node.count)
        guard blocks.size(count) == node.count else {
            found(.leafShape, ref, "\(node.count) bytes are no whole number of ids")
            return nil
        }
        return count
    }

    // MARK: Strings and binaries

    func stringForm(_ ref: Ref, distinct: Ref = .none) -> Int? {
        guard let node = node(ref, .leafShape) else { return nil }
        if !distinct.isNone { return enumeratedForm(ref, node, distinct) }
        switch (node.hasRefs, node.widthType) {
        case (false, 1): return shortForm(ref, node)
        case (true, 0): return blobsForm(ref, node, terminator: 1)
        default:
            found(.leafShape, ref, "a string leaf of no known form")
            return nil
        }
    }

    private func binaryForm(_ ref: Ref) -> Int? {
        let node = reading(ref, .leafShape) { () throws(RealmError) in
            try space.refNode(ref, slots: 0, "binary leaf")
        }
        return node.flatMap { blobsForm(ref, $0, terminator: 0) }
    }

    private func enumeratedForm(_ ref: Ref, _ node: NodeView, _ distinct: Ref) -> Int? {
        guard !node.hasRefs, node.widthType == 0 else {
            found(.enumeration, ref, "plain strings in an enumerated column")
            return nil
        }
        guard let values = stringForm(distinct), spend(node.count) else { return nil }
        for i in 0..<node.count where !(0..<Int64(values)).contains(node.integer(i)) {
            found(.enumeration, ref, "index \(node.integer(i)) of \(values) distinct values")
            return nil
        }
        return node.count
    }

    private func shortForm(_ ref: Ref, _ node: NodeView) -> Int? {
        guard spend(node.count) else { return nil }
        let width = node.width
        if width == 0 { return node.count }
        guard width <= 16 else {
            found(.stringForm, ref, "short strings in cells of \(width) bytes")
            return nil
        }
        for i in 0..<node.count {
            let cell = node.payload + i * width
            let padding = Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
            guard padding <= width else {
                found(.stringForm, ref, "a short string longer than its cell")
                return nil
            }
            var at = max(0, width - 1 - padding)
            while at < width - 1, cell.load(fromByteOffset: at, as: UInt8.self) == 0 { at += 1 }
            if at < width - 1 {
                found(.stringForm, ref, "a short string padded with something else than zeros")
            }
        }
        return node.count
    }

    private func blobsForm(_ ref: Ref, _ node: NodeView, terminator: Int) -> Int? {
        node.context
            ? bigForm(ref, node, terminator) : mediumForm(ref, node, terminator)
    }

    private func mediumForm(_ ref: Ref, _ node: NodeView, _ terminator: Int) -> Int? {
        guard node.count == MediumBytesShape.count else {
            found(
                .stringForm, ref,
                "a leaf of \(node.count) parts instead of \(MediumBytesShape.count)")
            return nil
        }
        guard let area = self.node(node.slot(MediumBytesShape.area).ref, .leafShape),
            let offsets = integers(node.slot(MediumBytesShape.ends).ref, "end offsets"),
            let nulls = integers(node.slot(MediumBytesShape.nulls).ref, "null flags")
        else { return nil }
        guard area.widthType == 2, !area.hasRefs, nulls.count == offsets.count else {
            found(.stringForm, ref, "\(nulls.count) null flags for \(offsets.count) values")
            return nil
        }
        var start = 0
        for i in 0..<offsets.count {
            let end = offsets.integer(i)
            guard end >= start, end <= area.count, end - Int64(start) >= terminator else {
                found(.stringForm, ref, "value \(i) ends at \(end) and begins at \(start)")
                return nil
            }
            checkMediumValue(i, nulls, area, start..<Int(end), terminator, ref)
            start = Int(end)
        }
        if start != area.count {
            found(.stringForm, ref, "\(area.count) bytes hold values of \(start)")
        }
        return offsets.count
    }

    private func checkMediumValue(
        _ i: Int, _ nulls: NodeView, _ area: NodeView, _ range: Range<Int>, _ terminator: Int,
        _ ref: Ref
    ) {
        let flag = nulls.integer(i)
        if flag != 0, flag != 1 || range.count != terminator {
            found(.stringForm, ref, "value \(i) is null with flag \(flag), \(range.count) bytes")
        }
        if terminator == 1, area.byte(range.upperBound - 1) != 0 {
            found(.stringForm, ref, "value \(i) does not end with zero")
        }
    }

    private func bigForm(_ ref: Ref, _ node: NodeView, _ terminator: Int) -> Int? {
        guard spend(node.count) else { return nil }
        for i in 0..<node.count {
            let slot = node.slot(i)
            if slot.isNone { continue }
            guard !slot.isTagged, let blob = self.node(slot.ref, .leafShape) else {
                found(.stringForm, ref, "value \(i) is no blob")
                return nil
            }
            // A value that consists of several blobs is checked when it is read.
            if blob.hasRefs { continue }
            // The byte count of a node includes the final zero of a text only if the node's size is
            // counted in bytes (width type 2).
            guard blob.widthType == 2,
                terminator == 0 || blob.count > 0 && blob.byte(blob.count - 1) == 0
            else {
                found(.stringForm, slot.ref, "value \(i) is no blob, or does not end with zero")
                return nil
            }
        }
        return node.count
    }
}
