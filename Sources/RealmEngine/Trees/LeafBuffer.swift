/// A leaf taken apart for editing: one `Value` per element.
///
/// Strings and binaries point into the mapping, the slab or the transaction's arena, all of which
/// stay put while the transaction lasts. Backlink cells are carried as `.int` of the raw slot.
final class LeafBuffer {
    /// Unmanaged, since appending to an array that a class holds would be checked each time.
    private var storage: UnsafeMutablePointer<Value>
    private var capacity: Int
    private(set) var count = 0
    /// For leaves of long strings and binaries: the blob that already holds each value, none where
    /// the value is new; empty in all other leaves. Keeping them saves copying untouched values.
    private(set) var blobs: ContiguousArray<Ref> = []

    init(capacity: Int = 0) {
        self.capacity = max(8, capacity)
        storage = .allocate(capacity: self.capacity)
    }

    deinit { storage.deallocate() }

    /// Bytes of memory the buffer takes.
    var byteSize: Int { capacity * MemoryLayout<Value>.stride + 64 }

    /// Valid until the next change.
    @inline(__always) var values: UnsafeBufferPointer<Value> {
        UnsafeBufferPointer(start: storage, count: count)
    }

    /// Makes room for `extra` more.
    @inline(__always)
    private func reserve(_ extra: Int) {
        if count &+ extra > capacity { grow(count &+ extra) }
    }

    @inline(never)
    private func grow(_ wanted: Int) {
        capacity = max(capacity * 2, wanted)
        let fresh = UnsafeMutablePointer<Value>.allocate(capacity: capacity)
        fresh.update(from: storage, count: count)
        storage.deallocate()
        storage = fresh
    }

    /// Takes apart the leaf at `ref` of a cluster column.
    convenience init(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) {
        self.init(capacity: rows + 1)
        if layout.type == .backlink {
            let leaf = try BacklinkLeaf(space, ref)
            guard leaf.count == rows else {
                throw .corrupt("a backlink leaf of \(leaf.count) among \(rows) objects", at: ref)
            }
            for i in 0..<rows { append(.int(Int64(bitPattern: leaf.slot(i).raw))) }
        } else {
            try fill(try ColumnLeaf(space, ref, layout, rows: rows))
        }
    }

    /// Takes apart the leaf at `ref` of a collection.
    convenience init(
        _ space: NodeSpace, _ ref: Ref, element: ElementType
    ) throws(RealmError) {
        self.init()
        try fill(try ColumnLeaf(space, ref, element: element))
    }

    private func fill(_ leaf: ColumnLeaf) throws(RealmError) {
        let count = leaf.count
        reserve(count + 1)
        for i in 0..<count { append(try leaf.stored(i)) }
        switch leaf {
        case .string(let bytes) where bytes.form == .big,
            .binary(let bytes) where bytes.form == .big:
            blobs.reserveCapacity(count + 1)
            for i in 0..<count { blobs.append(bytes.blob(i)) }
        default: break
        }
    }

    @inline(__always) func append(_ value: Value) {
        reserve(1)
        storage[count] = value
        count &+= 1
        if !blobs.isEmpty { blobs.append(.none) }
    }

    func insert(_ value: Value, at i: Int) {
        if !blobs.isEmpty { blobs.insert(.none, at: i) }
        precondition(i >= 0 && i <= count)
        reserve(1)
        (storage + i + 1).update(from: storage + i, count: count - i)
        storage[i] = value
        count += 1
    }

    func set(_ value: Value, at i: Int, _ context: EditContext) throws(RealmError) {
        precondition(i >= 0 && i < count)
        try releaseBlob(i, context)
        storage[i] = value
    }

    func remove(at i: Int, _ context: EditContext) throws(RealmError) {
        precondition(i >= 0 && i < count)
        try releaseBlob(i, context)
        if !blobs.isEmpty { blobs.remove(at: i) }
        (storage + i).update(from: storage + i + 1, count: count - i - 1)
        count -= 1
    }

    private func releaseBlob(_ i: Int, _ context: EditContext) throws(RealmError) {
        guard !blobs.isEmpty, !blobs[i].isNone else { return }
        try context.freeDeep(blobs[i])
        blobs[i] = .none
    }

    /// Moves everything from element `i` on into a new buffer.
    func split(at i: Int) -> LeafBuffer {
        precondition(i >= 0 && i <= count)
        let tail = LeafBuffer(capacity: count - i)
        tail.storage.update(from: storage + i, count: count - i)
        tail.count = count - i
        count = i
        if !blobs.isEmpty {
            tail.blobs = ContiguousArray(blobs[i...])
            blobs.removeSubrange(i...)
        }
        return tail
    }

    /// Takes over the elements of `other`.
    func append(contentsOf other: LeafBuffer) {
        if !blobs.isEmpty || !other.blobs.isEmpty {
            if blobs.isEmpty { blobs = ContiguousArray(repeating: .none, count: count) }
            blobs.append(
                contentsOf: other.blobs.isEmpty
                    ? ContiguousArray(repeating: .none, count: other.count) : other.blobs)
        }
        reserve(other.count)
        (storage + count).update(from: other.storage, count: other.count)
        count += other.count
    }

    /// Lets go of the blobs kept so far: the leaf is about to be written in a form without them.
    func dropBlobs(_ context: EditContext) throws(RealmError) {
        for blob in blobs where !blob.isNone { try context.freeDeep(blob) }
        blobs = []
    }

    /// The last value is in that blob.
    func setLastBlob(_ ref: Ref) {
        if blobs.isEmpty { blobs = ContiguousArray(repeating: .none, count: count) }
        blobs[count - 1] = ref
    }

    /// Remembers where each value of a big leaf now is.
    func keepBlobs(_ refs: ContiguousArray<Ref>) { blobs = refs }
}

extension EditContext {
    /// Lets go of the nodes that make up one leaf, but not of collections, backlink lists and blobs
    /// its cells lead to: those live on in the edited leaf.
    func freeLeaf(_ ref: Ref, _ layout: LeafLayout) throws(RealmError) {
        if ref.isNone || slab.contains(ref) { return }
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
            if i == 3 { try freeDeep(child) } else { try free(child) }
        }
        try free(ref)
    }
}
