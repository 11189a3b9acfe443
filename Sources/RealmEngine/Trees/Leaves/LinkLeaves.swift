/// Leaf of a link column that is no collection. A link is stored as key + 1, null as 0 (object
/// format 3.11).
struct LinkLeaf {
    let node: NodeView
    let target: TableKey

    /// Number that is added to a key when it is stored. Null has the key -1 and is stored as 0.
    static let keyOffset: Int64 = 1

    init(_ space: NodeSpace, _ ref: Ref, target: TableKey) throws(RealmError) {
        node = try space.integers(ref, "link leaf")
        self.target = target
    }

    @inline(__always) var count: Int { node.count }

    /// Key of the target: -1 for null, a negative key for a tombstone.
    @inline(__always) func key(_ i: Int) -> ObjectKey {
        ObjectKey(node.integer(i) &- Self.keyOffset)
    }
    @inline(__always) func stored(_ i: Int) -> Value { .link(target, key(i)) }
}

extension Value {
    /// Makes a link value from a key; null if the key is -1.
    @inline(__always)
    fileprivate static func link(_ table: TableKey, _ key: ObjectKey) -> Value {
        key == .none ? .null : .link(ObjectLink(table: table, key: key))
    }
}

/// Leaf of a list or set of links. A link is stored as the key itself.
struct LinkElementLeaf {
    let node: NodeView
    let target: TableKey

    init(_ space: NodeSpace, _ ref: Ref, target: TableKey) throws(RealmError) {
        node = try space.integers(ref, "link list leaf")
        self.target = target
    }

    @inline(__always) var count: Int { node.count }
    @inline(__always) func key(_ i: Int) -> ObjectKey { ObjectKey(node.integer(i)) }
    @inline(__always) func stored(_ i: Int) -> Value { .link(target, key(i)) }
}

/// Leaf of links to any table. A link is stored as table key + 1 and object key + 1 (object format
/// 3.12).
struct TypedLinkLeaf {
    let node: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.integers(ref, "typed link leaf")
        guard node.count & 1 == 0 else { throw space.wrongShape(ref, "typed link leaf") }
    }

    @inline(__always) var count: Int { node.count / 2 }

    func link(_ i: Int) -> ObjectLink? {
        let table = node.integer(2 * i)
        if table == 0 { return nil }
        return ObjectLink(
            table: TableKey(UInt32(truncatingIfNeeded: table &- 1) & 0x7FFF_FFFF),
            key: ObjectKey(node.integer(2 * i + 1) &- 1))
    }
}

/// Leaf of a backlink column: for each target object, the objects that link to it through one
/// origin column (object format 3.14).
struct BacklinkLeaf {
    let node: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.refNode(ref, slots: 0, "backlink leaf")
    }

    @inline(__always) var count: Int { node.count }
    @inline(__always) func slot(_ i: Int) -> NodeSlot { node.slot(i) }
}

/// Leaf of a list, set or dictionary column: for each object, the root of its collection (object
/// format 3.15).
struct CollectionLeaf {
    let node: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.refNode(ref, slots: 0, "collection leaf")
    }

    /// - Parameter node: a collection leaf that has been opened and checked before.
    init(_ node: NodeView) { self.node = node }

    @inline(__always) var count: Int { node.count }

    /// Root of the collection of row `i`; none if the collection has never had an element.
    @inline(__always) func root(_ i: Int) throws(RealmError) -> Ref {
        let slot = node.slot(i)
        guard !slot.isTagged else { throw Self.numberForRoot }
        return slot.ref
    }

    static var numberForRoot: RealmError {
        .corrupt("a number where a collection's root belongs", at: .none)
    }
}

/// A collection leaf, with the kind and element type that all its collections have.
struct CollectionValues {
    let leaf: CollectionLeaf
    let kind: CollectionKind
    let element: ElementType

    @inline(__always) func stored(_ i: Int) throws(RealmError) -> Value {
        kind.value(CollectionView(root: try leaf.root(i), element: element))
    }
}

extension CollectionKind {
    /// Wraps a collection of this kind as a value.
    @inline(__always)
    func value(_ view: CollectionView) -> Value {
        switch self {
        case .list: .list(view)
        case .set: .set(view)
        case .dictionary: .dictionary(view)
        }
    }
}
