/// A decoded leaf of a column or collection, for editing.
///
/// The bytes of strings and binaries are referenced in the mapping, the slab or the transaction's
/// arena, where they stay valid during the transaction. A backlink cell is stored as `.int` of its
/// raw slot.
final class LeafBuffer {
    /// Cells with the decoded values; the first `count` are in use.
    private(set) var cells: LeafCells
    fileprivate(set) var count = 0
    /// If the leaf stored each value in a node of its own (blob), the refs of these nodes; none for
    /// a new value. Empty for other leaves. Blobs of unchanged values are reused when the leaf is
    /// written.
    private(set) var blobs: ContiguousArray<Ref> = []

    /// Makes an empty buffer for values of a layout.
    init(_ layout: LeafLayout, capacity: Int = 0) {
        cells = LeafCells(layout, capacity: max(8, capacity))
    }

    /// Memory, in bytes, that the buffer takes.
    var byteSize: Int { cells.byteSize + 64 }

    /// The values, if they are stored as `Value`. Valid until the next change.
    @inline(__always) var values: UnsafeBufferPointer<Value> {
        precondition(cells.form == .values)
        return UnsafeBufferPointer(start: cells.values, count: count)
    }

    /// Value at index `i` of the leaf, as stored.
    subscript(i: Int) -> Value {
        precondition(i >= 0 && i < count)
        return cells.value(i)
    }

    /// Makes room for `extra` more cells in the buffer.
    @inline(__always)
    fileprivate func reserve(_ extra: Int) {
        if count &+ extra > cells.capacity { grow(count &+ extra) }
    }

    @inline(never)
    private func grow(_ wanted: Int) {
        cells = LeafCells(cells, count: count, capacity: max(cells.capacity * 2, wanted))
    }

    @inline(__always) func append(_ value: Value) {
        reserve(1)
        cells.target.store(value, at: count)
        count &+= 1
        if !blobs.isEmpty { blobs.append(.none) }
    }

    func insert(_ value: Value, at i: Int) {
        if !blobs.isEmpty { blobs.insert(.none, at: i) }
        precondition(i >= 0 && i <= count)
        reserve(1)
        cells.move(i..<count, to: i + 1)
        cells.target.store(value, at: i)
        count += 1
    }

    func set(_ value: Value, at i: Int, _ context: EditContext) throws(RealmError) {
        precondition(i >= 0 && i < count)
        try releaseBlob(i, context)
        cells.target.store(value, at: i)
    }

    func remove(at i: Int, _ context: EditContext) throws(RealmError) {
        precondition(i >= 0 && i < count)
        try releaseBlob(i, context)
        if !blobs.isEmpty { blobs.remove(at: i) }
        cells.move(i + 1..<count, to: i)
        count -= 1
    }

    private func releaseBlob(_ i: Int, _ context: EditContext) throws(RealmError) {
        guard !blobs.isEmpty, !blobs[i].isNone else { return }
        try context.freeDeep(blobs[i])
        blobs[i] = .none
    }

    /// Removes the elements from index `i` on and returns them in a new buffer.
    func split(at i: Int) -> LeafBuffer {
        precondition(i >= 0 && i <= count)
        let tail = LeafBuffer(cells.layout, capacity: count - i)
        tail.cells.copy(cells, from: i, count: count - i, to: 0)
        tail.count = count - i
        count = i
        if !blobs.isEmpty {
            tail.blobs = ContiguousArray(blobs[i...])
            blobs.removeSubrange(i...)
        }
        return tail
    }

    /// Appends the elements of `other`.
    func append(contentsOf other: LeafBuffer) {
        if !blobs.isEmpty || !other.blobs.isEmpty {
            if blobs.isEmpty { blobs = ContiguousArray(repeating: .none, count: count) }
            blobs.append(
                contentsOf: other.blobs.isEmpty
                    ? ContiguousArray(repeating: .none, count: other.count) : other.blobs)
        }
        reserve(other.count)
        cells.copy(other.cells, from: 0, count: other.count, to: count)
        count += other.count
    }

    /// Frees the blobs. Called before the leaf is written in a form without blobs.
    func dropBlobs(_ context: EditContext) throws(RealmError) {
        for blob in blobs where !blob.isNone { try context.freeDeep(blob) }
        blobs = []
    }

    /// Sets the blob that contains the last value.
    func setLastBlob(_ ref: Ref) {
        if blobs.isEmpty { blobs = ContiguousArray(repeating: .none, count: count) }
        blobs[count - 1] = ref
    }

    /// Sets the blobs that contain the values, one for each.
    func setBlobs(_ refs: ContiguousArray<Ref>) { blobs = refs }
}

// MARK: - Decoding

extension LeafBuffer {
    /// Decodes the leaf at `ref` of a cluster column.
    convenience init(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) {
        self.init(layout, capacity: rows + 1)
        if layout.type == .backlink {
            let leaf = try BacklinkLeaf(space, ref)
            guard leaf.count == rows else {
                throw .corrupt("a backlink leaf of \(leaf.count) among \(rows) objects", at: ref)
            }
            IntegerKernels.decode(leaf.node, first: 0, count: rows, into: cells.words)
            count = rows
        } else {
            try fill(try ColumnLeaf(space, ref, layout, rows: rows))
        }
    }

    /// Decodes the leaf at `ref` of a collection.
    convenience init(
        _ space: NodeSpace, _ ref: Ref, element: ElementType
    ) throws(RealmError) {
        let leaf = try ColumnLeaf(space, ref, element: element)
        self.init(LeafLayout(elements: element), capacity: leaf.count + 1)
        try fill(leaf)
    }

    private func fill(_ leaf: ColumnLeaf) throws(RealmError) {
        let (words, extras, count) = (cells.words, cells.extras, leaf.count)
        switch leaf {
        case .integer(let leaf):
            IntegerKernels.decode(leaf.node, first: 0, count: count, into: words)
        case .nullableInteger(let leaf):
            IntegerKernels.decode(
                leaf.node, first: NullableIntegerLeaf.first, count: count, into: words)
            for i in 0..<count {
                extras[i] = words[i] == leaf.marker ? 1 : 0
                if words[i] == leaf.marker { words[i] = 0 }
            }
        case .bool(let leaf):
            IntegerKernels.decode(leaf.node, first: 0, count: count, into: words)
            for i in 0..<count where words[i] != 3 { words[i] = words[i] == 0 ? 0 : 1 }
        case .link(let leaf):
            IntegerKernels.decode(leaf.node, first: 0, count: count, into: words)
            for i in 0..<count { words[i] &-= 1 }
        case .collection(let values):
            for i in 0..<count { words[i] = Int64(bitPattern: try values.leaf.root(i).raw) }
        case .string(let leaf), .binary(let leaf):
            for i in 0..<count {
                let bytes = try leaf.value(i)
                words[i] = bytes.map { Int64(Int(bitPattern: $0.base)) } ?? 0
                extras[i] = Int64(bytes?.count ?? 0)
            }
        default:
            for i in 0..<count { cells.target.store(try leaf.stored(i), at: i) }
        }
        self.count = count
        setBlobs(of: leaf)
    }

    private func setBlobs(of leaf: ColumnLeaf) {
        switch leaf {
        case .string(let bytes) where bytes.form == .big,
            .binary(let bytes) where bytes.form == .big:
            setBlobs(ContiguousArray((0..<count).map { bytes.blob($0) }))
        default: break
        }
    }
}

extension EditContext {
    /// Frees the nodes of one column leaf after an edited copy was written. Does not free the
    /// collections, backlink lists and blobs that its cells reference, because the copy references
    /// them too.
    func freeLeaf(_ ref: Ref, _ layout: LeafLayout) throws(RealmError) {
        if ref.isNone { return }
        if layout.collection != nil { return try free(ref) }
        switch layout.type {
        case .backlink: try free(ref)
        case .string, .binary:
            let node = try space.node(ref)
            if node.hasRefs, !node.context { try freeWithChildren(ref) } else { try free(ref) }
        case .timestamp: try freeWithChildren(ref)
        case .mixed: try freeMixedLeaf(ref)
        default: try free(ref)
        }
    }

    private func freeMixedLeaf(_ ref: Ref) throws(RealmError) {
        let node = try space.refNode(ref, slots: 0, "mixed leaf")
        for i in 0..<node.count {
            guard let child = node.slot(i).child else { continue }
            if i == MixedLeaf.Pool.bytes.rawValue { try freeDeep(child) } else { try free(child) }
        }
        try free(ref)
    }
}
