/// Links of a single-link column: key + 1, 0 for null (object format 3.11).
struct LinkLeaf {
    let node: NodeView
    let target: TableKey

    /// Difference between a stored number and the key, so that no key, -1, is stored as 0.
    static let keyOffset: Int64 = 1

    init(_ space: NodeSpace, _ ref: Ref, target: TableKey) throws(RealmError) {
        node = try space.integers(ref, "link leaf")
        self.target = target
    }

    @inline(__always) var count: Int { node.count }

    /// The target's key: -1 for null; keys of unresolved links as stored.
    @inline(__always) func key(_ i: Int) -> ObjectKey {
        ObjectKey(node.integer(i) &- Self.keyOffset)
    }
    @inline(__always) func stored(_ i: Int) -> Value { .link(target, key(i)) }
}

extension Value {
    /// Makes a link from a stored key, of which -1 is null.
    @inline(__always)
    fileprivate static func link(_ table: TableKey, _ key: ObjectKey) -> Value {
        key == .none ? .null : .link(ObjectLink(table: table, key: key))
    }
}

/// Links inside a list or set: the keys themselves.
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

/// Links with their target table: pairs of table key + 1 and object key + 1 (object format 3.12).
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

/// Incoming links of one origin column, per target object (object format 3.14).
struct BacklinkLeaf {
    let node: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.refNode(ref, slots: 0, "backlink leaf")
    }

    @inline(__always) var count: Int { node.count }
    @inline(__always) func slot(_ i: Int) -> NodeSlot { node.slot(i) }
}

/// Roots of the collections of one list, set or dictionary column (object format 3.15).
struct CollectionLeaf {
    let node: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.refNode(ref, slots: 0, "collection leaf")
    }

    /// - Parameter node: a leaf of this form that was opened before.
    init(_ node: NodeView) { self.node = node }

    @inline(__always) var count: Int { node.count }

    /// Root of the collection; none if it was never filled.
    @inline(__always) func root(_ i: Int) throws(RealmError) -> Ref {
        let slot = node.slot(i)
        guard !slot.isTagged else { throw Self.numberForRoot }
        return slot.ref
    }

    static var numberForRoot: RealmError {
        .corrupt("a number where a collection's root belongs", at: .none)
    }
}

/// A collection leaf with the kind and element type of its collections.
struct CollectionValues {
    let leaf: CollectionLeaf
    let kind: CollectionKind
    let element: ElementType

    @inline(__always) func stored(_ i: Int) throws(RealmError) -> Value {
        kind.value(CollectionView(root: try leaf.root(i), element: element))
    }
}

extension CollectionKind {
    /// Returns a collection of this kind as a value.
    @inline(__always)
    func value(_ view: CollectionView) -> Value {
        switch self {
        case .list: .list(view)
        case .set: .set(view)
        case .dictionary: .dictionary(view)
        }
    }
}
