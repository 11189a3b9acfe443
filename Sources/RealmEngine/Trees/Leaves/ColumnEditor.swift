/// Changes single values in the leaves of one column (object format section 3).
///
/// Frequent changes are made in place: later values are moved, the value is stored, and if the
/// cells are too small for it, the leaf is copied with larger cells. Rare changes rebuild the leaf,
/// for example if the value equals the null marker, or if a text is too long for the form of the
/// leaf.
///
/// Every edit checks its row against the number of values in the leaf.
struct ColumnEditor {
    private enum Form {
        case integers, optionalIntegers, bools, links, slots
        case floats, doubles, decimals, bytes, times, ids, mixed, others
    }

    /// State of the transaction. Not retained; the owner of this editor retains it.
    unowned(unsafe) let context: EditContext
    let nodes: NodeMutator
    let layout: LeafLayout
    private let form: Form
    /// Whether the leaves belong to a collection, where a link is stored as the key itself instead
    /// of key + 1.
    private let isElement: Bool

    init(_ context: EditContext, _ layout: LeafLayout) {
        self.context = context
        nodes = context.nodes
        self.layout = layout
        form = Self.form(layout)
        isElement = false
    }

    /// Makes an editor for the leaves of a collection.
    init(_ context: EditContext, elements: ElementType) {
        self.context = context
        nodes = context.nodes
        layout = LeafLayout(elements: elements)
        form = Self.form(layout)
        isElement = true
    }

    private static func form(_ layout: LeafLayout) -> Form {
        if layout.collection != nil { return .slots }
        switch layout.type {
        case .int: return layout.isNullable ? .optionalIntegers : .integers
        case .bool: return .bools
        case .link: return .links
        case .backlink: return .slots
        case .float: return .floats
        case .double: return .doubles
        case .string: return layout.distinct.isNone ? .bytes : .others
        case .binary: return .bytes
        case .timestamp: return .times
        case .decimal: return .decimals
        case .objectID, .uuid: return .ids
        case .mixed: return .mixed
        case .typedLink: return .others
        }
    }

    // MARK: Editing

    /// Makes the leaf writable and checks it, so that later edits rarely fail. It must have `rows`
    /// values.
    @inline(__always)
    func open(_ slot: RefSlot, rows: Int) throws(RealmError) {
        if !nodes.owns(Ref(slot.pointee)) { try copy(slot, rows) }
    }

    /// Replaces value `i`.
    @inline(__always)
    func set(_ value: Value, _ slot: RefSlot, at i: Int, rows: Int) throws(RealmError) {
        try open(slot, rows: rows)
        switch form {
        case .integers, .bools, .links, .slots: try nodes.setInteger(slot, i, number(value))
        case .optionalIntegers: try setOptional(slot, i, value)
        case .bytes: try setBytes(slot, i, value)
        case .times: try setTime(slot, i, value)
        default: try setOther(value, slot, at: i)
        }
    }

    /// Inserts a value before value `i`; appends it if `i` is the number of values.
    @inline(__always)
    func insert(_ value: Value, _ slot: RefSlot, at i: Int) throws(RealmError) {
        switch form {
        case .integers, .bools, .links, .slots: try nodes.insertInteger(slot, i, number(value))
        case .optionalIntegers: try insertOptional(slot, i, value)
        case .bytes: try insertBytes(slot, i, value)
        case .times: try insertTime(slot, i, value)
        default: try insertOther(value, slot, at: i)
        }
    }

    /// Removes value `i`. Frees the blob of a long value; the caller must free other nodes that the
    /// cell references.
    func remove(_ slot: RefSlot, at i: Int) throws(RealmError) {
        switch form {
        case .integers, .bools, .links, .slots: try nodes.removeInteger(slot, i)
        case .optionalIntegers: try nodes.removeInteger(slot, i + NullableIntegerLeaf.first)
        case .bytes: try removeBytes(slot, i)
        case .times: try removeTime(slot, i)
        case .floats, .doubles, .decimals: try removeCell(slot, i)
        case .ids: try removeID(slot, i)
        case .mixed: try removeMixed(slot, i)
        case .others:
            try rebuild(slot) { (leaf) throws(RealmError) in try leaf.remove(at: i, context) }
        }
    }

    private func setOther(_ value: Value, _ slot: RefSlot, at i: Int) throws(RealmError) {
        switch form {
        case .floats, .doubles: try setCell(slot, i, number(value))
        case .decimals where try setDecimal(slot, i, value): return
        case .ids: try setID(slot, i, value)
        case .mixed: try setMixed(slot, i, value)
        default:
            try rebuild(slot) { (leaf) throws(RealmError) in try leaf.set(value, at: i, context) }
        }
    }

    private func insertOther(_ value: Value, _ slot: RefSlot, at i: Int) throws(RealmError) {
        switch form {
        case .floats, .doubles: try insertCell(slot, i, number(value))
        case .decimals where try insertDecimal(slot, i, value): return
        case .ids: try insertID(slot, i, value)
        case .mixed: try insertMixed(slot, i, value)
        default: try rebuild(slot) { (leaf) in leaf.insert(value, at: i) }
        }
    }

    /// Returns the number that a leaf stores for a value, if it stores one number for each value.
    /// Examples: an integer itself, a link's key, the bits of a float, the root of a collection.
    @inline(__always)
    private func number(_ value: Value) -> Int64 {
        switch value {
        case .int(let v): v
        case .bool(let v): v ? 1 : 0
        case .link(let v): v.key.raw &+ keyOffset
        case .float(let v): Int64(v.bitPattern)
        case .double(let v): Int64(bitPattern: v.bitPattern)
        case .list(let v), .set(let v), .dictionary(let v): Int64(bitPattern: v.root.raw)
        default: nullNumber
        }
    }

    private var nullNumber: Int64 { layout.nullNumber &+ (form == .links ? keyOffset : 0) }

    @inline(__always)
    private var keyOffset: Int64 { isElement ? 0 : LinkLeaf.keyOffset }

    // MARK: Leaves

    private func copy(_ slot: RefSlot, _ rows: Int) throws(RealmError) {
        let ref = Ref(slot.pointee)
        guard layout.type != .backlink else {
            guard try BacklinkLeaf(nodes.space, ref).count == rows else {
                throw .corrupt("a backlink leaf of other than \(rows) objects", at: ref)
            }
            try nodes.copyRefs(slot, extra: rows / 8 + 8)
            return
        }
        let leaf = try opened(ref)
        guard leaf.count == rows else {
            throw .corrupt("a leaf of \(leaf.count) values where \(rows) are announced", at: ref)
        }
        switch leaf {
        case .string(let bytes) where bytes.form == .medium,
            .binary(let bytes) where bytes.form == .medium:
            try copyMedium(slot, bytes)
        case .mixed: try rebuild(slot) { (_) in }
        default:
            if try nodes.space.node(ref).hasRefs {
                try nodes.copyRefs(slot, extra: rows / 8 + 8)
            } else {
                _ = try nodes.makeWritable(slot)
            }
        }
        if form == .times {
            let parts = try nodes.writableRefs(slot)
            for i in 0..<TimestampLeafShape.count { _ = try nodes.makeWritable(parts.slots + i) }
        }
    }

    /// Decodes the leaf, applies `change` to the decoded values, and writes the leaf again.
    @inline(never)
    func rebuild(
        _ slot: RefSlot, _ change: (LeafBuffer) throws(RealmError) -> Void
    ) throws(RealmError) {
        let ref = Ref(slot.pointee)
        let buffer = try self.buffer(ref)
        try context.freeLeaf(ref, layout)
        try change(buffer)
        slot.pointee = try encode(buffer).raw
    }

    private func opened(_ ref: Ref) throws(RealmError) -> ColumnLeaf {
        isElement
            ? try ColumnLeaf(nodes.space, ref, element: layout.element)
            : try ColumnLeaf(nodes.space, ref, layout)
    }

    private func buffer(_ ref: Ref) throws(RealmError) -> LeafBuffer {
        let buffer: LeafBuffer
        if isElement {
            buffer = try LeafBuffer(nodes.space, ref, element: layout.element)
        } else {
            buffer = try LeafBuffer(nodes.space, ref, layout, rows: try rows(ref))
        }
        guard form == .mixed else { return buffer }
        for value in buffer.values { try nodes.checkRoot(of: value, in: ref) }
        return buffer
    }

    /// Number of values in a leaf that has been checked.
    private func rows(_ ref: Ref) throws(RealmError) -> Int {
        if layout.type == .backlink { return try BacklinkLeaf(nodes.space, ref).count }
        return try ColumnLeaf(nodes.space, ref, layout).count
    }

    private func encode(_ buffer: LeafBuffer) throws(RealmError) -> Ref {
        try LeafEncoder(context: context).encode(buffer, isElement: isElement)
    }

    /// Writes a leaf without values.
    func makeEmpty() throws(RealmError) -> Ref {
        try encode(LeafBuffer(layout))
    }

    /// Writes a leaf of `count` equal values.
    func make(_ value: Value, count: Int) throws(RealmError) -> Ref {
        let buffer = LeafBuffer(layout, capacity: count)
        for _ in 0..<count { buffer.append(value) }
        return try encode(buffer)
    }

    /// Moves the values from index `i` on to a new leaf.
    func split(_ slot: RefSlot, at i: Int) throws(RealmError) -> Ref {
        var rest = Ref.none
        try rebuild(slot) { (leaf) throws(RealmError) in
            rest = try encode(leaf.split(at: i))
        }
        return rest
    }

    /// Appends the values of the leaf at `other` and frees that leaf.
    func join(_ slot: RefSlot, _ other: RefSlot) throws(RealmError) {
        let ref = Ref(other.pointee)
        let tail = try buffer(ref)
        try rebuild(slot) { (leaf) in leaf.append(contentsOf: tail) }
        try context.freeLeaf(ref, layout)
        other.pointee = 0
    }

    /// Writes the leaf again in the layout of `other`. `transform` returns the new value for each
    /// old one. The caller must free collections that the old values reference.
    func map(
        _ slot: RefSlot, to other: ColumnEditor,
        _ transform: (Value) throws(RealmError) -> Value
    ) throws(RealmError) {
        let old = try buffer(Ref(slot.pointee))
        if layout.collection == nil {
            // The blobs of long values are freed too, because the new leaf gets copies of them.
            try nodes.freeDeep(Ref(slot.pointee))
        } else {
            try context.freeLeaf(Ref(slot.pointee), layout)
        }
        let new = LeafBuffer(other.layout, capacity: old.count)
        for row in 0..<old.count { new.append(try transform(old[row])) }
        slot.pointee = try other.encode(new).raw
    }
}
