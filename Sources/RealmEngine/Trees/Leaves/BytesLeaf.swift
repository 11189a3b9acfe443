/// Leaf of strings or binaries, in one of four forms, which its header determines (object format
/// 3.5-3.7).
struct BytesLeaf {
    enum Form: UInt8 {
        /// Cells of fixed width; the last byte of a cell contains the number of padding bytes.
        case short
        /// One array with the bytes of all values, and the end offset of each value.
        case medium
        /// Each value is in a node of its own, a blob.
        case big
        /// Each value is stored as a number: its index in the column's list of distinct values.
        case enumerated
    }

    let form: Form
    /// Number of zero bytes after each stored value: 1 for strings, 0 for binaries.
    let terminator: Int
    /// Main array of the leaf: cells (short form), end offsets (medium), refs of blobs (big), or
    /// indexes in the list of distinct values (enumerated).
    let node: NodeView
    /// If the leaf stores the bytes of all values in one array (medium form), this array. If it
    /// stores indexes of distinct values (enumerated form), the list of these values.
    let area: NodeView
    let nulls: NodeView
    private var space: NodeSpace
    let count: Int

    /// Maximum number of bytes in one blob node.
    static let maximumBlobSize = 0xFF_FFF0

    /// Opens a string leaf. `distinct` is the column's list of distinct values; none if the column
    /// is not enumerated.
    init(strings space: NodeSpace, _ ref: Ref, distinct: Ref = .none) throws(RealmError) {
        try self.init(strings: space, ref, distinct: distinct, opening: space)
    }

    /// Opens the node in which a leaf of mixed values stores its strings and binaries. The node is
    /// opened again for each value that is read, so its size is not counted against the read
    /// budget.
    init(pool ref: Ref, _ space: NodeSpace) throws(RealmError) {
        try self.init(strings: space, ref, distinct: .none, opening: space.unmetered)
    }

    private init(
        strings space: NodeSpace, _ ref: Ref, distinct: Ref, opening: NodeSpace
    ) throws(RealmError) {
        let node = try opening.node(ref)
        switch node.flags & NodeView.formMask {
        case NodeView.bytesFlag: self.init(short: node, space)
        case 0:
            guard !distinct.isNone else {
                // In a column that is not enumerated, a leaf without values may still have the
                // flags of a plain array.
                guard node.count == 0 else { throw space.wrongShape(ref, "string leaf") }
                self.init(short: node, space)
                return
            }
            self.init(indexes: node, list: try space.unmetered.node(distinct), space)
        case NodeView.hasRefsFlag:
            try self.init(node, ref, space, terminator: 1, opening: opening)
        default: throw space.wrongShape(ref, "string leaf")
        }
    }

    /// Opens a binary leaf.
    init(binaries space: NodeSpace, _ ref: Ref) throws(RealmError) {
        let node = try space.refNode(ref, slots: 0, "binary leaf")
        try self.init(node, ref, space, terminator: 0, opening: space)
    }

    private init(short node: NodeView, _ space: NodeSpace) {
        form = .short
        terminator = 0
        self.node = node
        area = node
        nulls = node
        self.space = space
        count = node.count
    }

    private init(indexes node: NodeView, list: NodeView, _ space: NodeSpace) {
        form = .enumerated
        terminator = 1
        self.node = node
        area = list
        nulls = list
        self.space = space
        count = node.count
    }

    /// Opens a leaf that stores the bytes of all values in one array (medium form) or in one node
    /// for each value (big form). The caller has checked that `node` has refs.
    private init(
        _ node: NodeView, _ ref: Ref, _ space: NodeSpace, terminator: Int, opening: NodeSpace
    ) throws(RealmError) {
        self.terminator = terminator
        self.space = space
        if node.context {
            form = .big
            self.node = node
            area = node
            nulls = node
            count = node.count
            return
        }
        guard node.count >= MediumBytesShape.count else {
            throw space.wrongShape(ref, "three-part bytes leaf")
        }
        form = .medium
        let offsets = try opening.integers(node.slot(MediumBytesShape.ends).ref, "end offsets")
        area = try opening.node(node.slot(MediumBytesShape.area).ref)
        nulls = try opening.integers(node.slot(MediumBytesShape.nulls).ref, "null flags")
        guard !area.hasRefs, area.widthType == 2 || area.count == 0, nulls.count >= offsets.count
        else {
            throw space.wrongShape(ref, "three-part bytes leaf")
        }
        self.node = offsets
        count = offsets.count
    }

    /// Prefetches the bytes that a scan of all values will read.
    @inline(__always)
    func prefetch() {
        Prefetch.elements(node)
        if form == .medium { Prefetch.bytes(area.payload, area.count) }
    }

    /// Whether all texts are ASCII. False if the leaf does not store its texts together, so that it
    /// cannot be determined at once.
    var isASCII: Bool {
        switch form {
        case .short: ByteView(node.payload, count: node.count &* node.width).isASCII
        case .medium: ByteView(area.payload, count: area.count).isASCII
        case .big, .enumerated: false
        }
    }

    /// Returns a copy of this leaf that reads its values in `space`.
    @inline(__always)
    func reading(in space: NodeSpace) -> BytesLeaf {
        var leaf = self
        leaf.space = space
        return leaf
    }

    /// Returns value `i`, nil for null. The index must be below `count`.
    @inline(__always)
    func value(_ i: Int) throws(RealmError) -> ByteView? {
        switch form {
        case .short: return try shortValue(i)
        case .medium: return try mediumValue(i)
        case .big: return try bigValue(i)
        case .enumerated: return try enumeratedValue(i)
        }
    }

    /// Index of the first value that is not less than `wanted`. The values must ascend, with null
    /// first.
    @_optimize(speed)
    func firstNotBelow(_ wanted: ByteView) throws(RealmError) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low &+ high) >> 1
            if let value = try value(middle), ByteView.compare(value, wanted) >= 0 {
                high = middle
            } else {
                low = middle &+ 1
            }
        }
        return low
    }

    /// Rows that are null, in a leaf that stores the bytes of all values in one array (medium
    /// form).
    var nullRows: Selection {
        let rows = min(count, ClusterRows.maximum)
        let zero = IntegerRange(low: 0, high: 0)
        return Selection(first: rows).subtracting(
            IntegerKernels.rows(in: zero, nulls, first: 0, count: rows))
    }

    /// Ref of the node with value `i`, in a leaf that stores each value in a node of its own (big
    /// form); none for null.
    func blob(_ i: Int) -> Ref { node.slot(i).ref }

    @inline(__always)
    private func shortValue(_ i: Int) throws(RealmError) -> ByteView? {
        let width = node.width
        if width == 0 { return nil }
        let cell = node.payload + i &* width
        let padding = Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
        if padding == width { return nil }
        guard padding < width else { throw badLeaf("a short string longer than its cell") }
        return ByteView(cell, count: width - 1 - padding)
    }

    @inline(__always)
    private func mediumValue(_ i: Int) throws(RealmError) -> ByteView? {
        if nulls.integer(i) != 0 { return nil }
        let start = i == 0 ? 0 : node.integer(i - 1)
        let end = node.integer(i) &- Int64(terminator)
        guard start >= 0, start <= end, end <= Int64(area.count) else {
            throw badLeaf("string offsets outside the leaf's bytes")
        }
        return try view(area.payload + Int(start), Int(end &- start))
    }

    @inline(never)
    private func bigValue(_ i: Int) throws(RealmError) -> ByteView? {
        let slot = node.slot(i)
        if slot.isNone { return nil }
        let blob = try space.unmetered.node(slot.ref)
        guard !blob.hasRefs else { return try joined(blob, slot.ref) }
        guard blob.widthType == 2, blob.count >= terminator else {
            throw space.wrongShape(slot.ref, "blob")
        }
        return try view(blob.payload, blob.count - terminator)
    }

    @inline(never)
    private func enumeratedValue(_ i: Int) throws(RealmError) -> ByteView? {
        let index = node.integer(i)
        let list = try BytesLeaf(distinct: area, space)
        guard index >= 0, index < Int64(list.count) else {
            throw badLeaf("an enumerated string without its value")
        }
        return try list.value(Int(index))
    }

    /// Opens the list of distinct values, to which the indexes of an enumerated leaf refer.
    func distinctValues() throws(RealmError) -> BytesLeaf { try BytesLeaf(distinct: area, space) }

    /// The error for offsets or indexes out of range, which a vectorised scan of the leaf found.
    @inline(never)
    func damagedOffsets() -> RealmError { badLeaf("string offsets outside the leaf's bytes") }

    /// Opens the list of distinct values of an enumerated column.
    private init(distinct node: NodeView, _ space: NodeSpace) throws(RealmError) {
        switch node.flags & NodeView.formMask {
        case NodeView.bytesFlag: self.init(short: node, space)
        case NodeView.hasRefsFlag:
            try self.init(node, .none, space, terminator: 1, opening: space.unmetered)
        default: throw space.wrongShape(.none, "distinct values")
        }
    }

    @inline(__always)
    private func view(_ start: UnsafeRawPointer, _ length: Int) throws(RealmError) -> ByteView {
        try space.chargeValue(length, at: .none)
        return ByteView(start, count: length)
    }

    @inline(never)
    private func badLeaf(_ what: String) -> RealmError {
        .corrupt(what, at: space.place(of: node))
    }

    /// Joins a value that is too long for one blob and therefore stored in several (object format
    /// 3.7).
    @inline(never)
    private func joined(_ parts: NodeView, _ ref: Ref) throws(RealmError) -> ByteView {
        guard parts.context, parts.flags & NodeView.formMask == NodeView.hasRefsFlag else {
            throw space.wrongShape(ref, "split blob")
        }
        try space.charge(8 &* parts.count, at: ref)
        var total = 0
        for i in 0..<parts.count {
            total += try part(parts, i).count
            guard total <= Int(space.limit) else { throw space.tooMany(total, ref) }
        }
        let bytes = try space.joinedBlobs.bytes(of: ref, count: total, limit: space.limit) {
            memory throws(RealmError) in
            var at = 0
            for i in 0..<parts.count {
                let part = try part(parts, i)
                (memory + at).copyMemory(from: part.payload, byteCount: part.count)
                at += part.count
            }
        }
        return try view(bytes, max(0, total - terminator))
    }

    private func part(_ parts: NodeView, _ i: Int) throws(RealmError) -> NodeView {
        let ref = parts.slot(i).ref
        let part = try space.unmetered.node(ref)
        guard !part.hasRefs, part.widthType == 2 else { throw space.wrongShape(ref, "split blob") }
        return part
    }
}
