/// Leaf of values of any type. Its array `words` has one number for each value, with the type. A
/// small value is contained in the number itself. For a large value, the number contains an index
/// in one of the leaf's *pools*, nodes for values of similar types (object format 3.13).
struct MixedLeaf {
    let words: NodeView
    private let node: NodeView
    private let space: NodeSpace

    typealias Pool = MixedLeafShape.Pool

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.refNode(ref, slots: MixedLeafShape.minimumCount, "mixed leaf")
        guard node.count <= MixedLeafShape.count else { throw space.wrongShape(ref, "mixed leaf") }
        words = try space.integers(node.slot(MixedLeafShape.words).ref, "mixed words")
        self.space = space
    }

    @inline(__always) var count: Int { words.count }

    /// Whether value `i` is a link, or a collection that may contain links.
    @inline(__always)
    func mayHoldLinks(_ i: Int) -> Bool {
        let kind = words.integer(i) & MixedKind.mask
        return kind == MixedKind.link.rawValue || kind == MixedKind.list.rawValue
            || kind == MixedKind.dictionary.rawValue
    }

    /// Returns value `i` as stored; a link may refer to a tombstone. A value of unknown type is
    /// returned as null.
    ///
    /// A large value is in another node, a pool, which is opened again for each value that is read.
    /// The pool's size is not counted against the read budget, because the cost of reading a value
    /// does not depend on it.
    func value(_ i: Int) throws(RealmError) -> Value {
        let word = words.integer(i)
        if word == 0 { return .null }
        let payload = word >> 8
        switch word & MixedKind.mask {
        case MixedKind.int.rawValue: return .int(hasPool(word) ? try number(payload) : payload)
        case MixedKind.bool.rawValue: return .bool(payload != 0)
        case MixedKind.string.rawValue: return .string(try bytes(payload))
        case MixedKind.binary.rawValue: return .binary(try bytes(payload))
        case MixedKind.timestamp.rawValue:
            let (s, n) = try pair(payload)
            guard let time = Timestamp(storedSeconds: s, nanoseconds: n) else {
                throw bad("a timestamp out of range")
            }
            return .timestamp(time)
        case MixedKind.float.rawValue:
            return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try number(payload))))
        case MixedKind.double.rawValue:
            return .double(Double(bitPattern: UInt64(bitPattern: try number(payload))))
        case MixedKind.decimal.rawValue:
            let (low, high) = try pair(payload)
            return .decimal(
                Decimal128(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low)))
        case MixedKind.objectID.rawValue:
            return .objectID(ObjectID(bytes: try fixed(payload, ObjectID.byteCount)))
        case MixedKind.link.rawValue:
            let (number, key) = try pair(payload)
            guard let table = UInt32(exactly: number) else {
                throw bad("a link to table \(number)")
            }
            return .link(ObjectLink(table: TableKey(table), key: ObjectKey(key)))
        case MixedKind.uuid.rawValue:
            return .uuid(UUIDValue(bytes: try fixed(payload, UUIDValue.byteCount)))
        case MixedKind.list.rawValue: return .list(try nested(payload, i))
        case MixedKind.dictionary.rawValue: return .dictionary(try nested(payload, i))
        default: return .null
        }
    }

    @inline(__always) private func hasPool(_ word: Int64) -> Bool { (word >> 5) & 7 != 0 }

    private func pool(_ pool: Pool) throws(RealmError) -> Ref {
        guard pool.rawValue < node.count, let ref = node.slot(pool.rawValue).child else {
            throw bad("a mixed value without its pool")
        }
        return ref
    }

    private func number(_ index: Int64) throws(RealmError) -> Int64 {
        let numbers = try space.unmetered.integers(try pool(.numbers), "mixed numbers")
        guard index >= 0, index < Int64(numbers.count) else { throw outside() }
        return numbers.integer(Int(index))
    }

    private func pair(_ index: Int64) throws(RealmError) -> (Int64, Int64) {
        let pairs = try space.unmetered.integers(try pool(.pairs), "mixed pairs")
        guard index >= 0, index < Int64(pairs.count / 2) else { throw outside() }
        return (pairs.integer(2 * Int(index)), pairs.integer(2 * Int(index) + 1))
    }

    private func bytes(_ index: Int64) throws(RealmError) -> ByteView {
        let strings = try BytesLeaf(pool: try pool(.bytes), space)
        guard index >= 0, index < Int64(strings.count) else { throw outside() }
        guard let view = try strings.value(Int(index)) else {
            throw bad("a mixed string or binary that is null")
        }
        return view
    }

    private func fixed(_ index: Int64, _ width: Int) throws(RealmError) -> UnsafeRawPointer {
        let view = try bytes(index)
        guard view.count == width else { throw bad("an id of \(view.count) bytes") }
        return view.base
    }

    private func nested(_ index: Int64, _ i: Int) throws(RealmError) -> CollectionView {
        CollectionView(root: try root(index), element: .mixed, key: try collectionKey(i))
    }

    /// Returns the key of a nested collection. The key array may be missing or shorter than the
    /// leaf; missing keys are 0.
    private func collectionKey(_ i: Int) throws(RealmError) -> Int32 {
        guard node.count > MixedLeafShape.keys, let ref = node.slot(MixedLeafShape.keys).child
        else { return 0 }
        let keys = try space.unmetered.integers(ref, "collection keys")
        return i < keys.count ? Int32(truncatingIfNeeded: keys.integer(i)) : 0
    }

    /// Returns the index of the collection whose key is `key`; nil if the leaf has none.
    func index(ofCollection key: Int32) throws(RealmError) -> Int? {
        guard node.count > MixedLeafShape.keys, let ref = node.slot(MixedLeafShape.keys).child
        else { return nil }
        let keys = try space.unmetered.integers(ref, "collection keys")
        return (0..<min(count, keys.count)).first { keys.integer($0) == Int64(key) }
    }

    private func root(_ index: Int64) throws(RealmError) -> Ref {
        let refs = try space.unmetered.refNode(try pool(.refs), slots: 0, "mixed collections")
        guard index >= 0, index < Int64(refs.count) else { throw outside() }
        let slot = refs.slot(Int(index))
        guard !slot.isTagged else { throw bad("a number where a nested collection belongs") }
        return slot.ref
    }

    private func outside() -> RealmError { bad("a mixed value outside its pool") }

    @inline(never)
    private func bad(_ what: String) -> RealmError {
        .corrupt(what, at: space.place(of: node))
    }
}
