/// Slots of the top array of a table (object format 1.2). Tables from before format 20 have 12 or
/// 13 slots, also after an upgrade; missing slots are read as 0.
enum TableShape {
    /// Ref of the spec, which describes the columns (`SpecShape`).
    static let spec = 0
    /// Always 0. Up to format 9, the ref of the columns' roots.
    static let unused = 1
    /// Ref of the cluster tree that contains the objects.
    static let objects = 2
    /// Tagged number: key of the table.
    static let key = 3
    /// Ref of an array with the root of the search index for each leaf index; 0 for columns without
    /// one.
    static let indexes = 4
    /// Tagged number: how many columns were removed so far.
    static let columnCounter = 5
    /// Tagged number: how many commits changed the table.
    static let contentVersion = 6
    /// Refs of two arrays with an element for each leaf index. For a link or backlink column, the
    /// elements are the keys of the table and of the column at the other end of the links.
    static let oppositeTables = 7
    static let oppositeColumns = 8
    /// Tagged number: sequence number of the next object, from which its key is computed; 0 before
    /// the first object.
    static let nextSequenceNumber = 9
    /// Ref of the collision map (`CollisionMapShape`); 0 if there is none.
    static let collisions = 10
    /// Tagged number: column key of the primary key; 0 if there is none.
    static let primaryKey = 11
    /// Tagged number: the kind of table, in the lowest two bits. Exists from format 20 on.
    static let kind = 12
    /// Ref of the cluster tree that contains the tombstones; 0 if there are none. Exists from
    /// format 20 on.
    static let tombstones = 13

    static let count = 14
    static let minimumCount = 12
    /// Number of slots up to format 9: the spec, and the columns' roots.
    static let legacyCount = 2
    static let legacyColumns = 1

    /// Slots that must be valid for the table to be readable.
    static let required = [spec, objects, key]

    /// Role of a slot: the kind of content that the slot must have.
    enum Role {
        case ref, number, refOrNone, numberOrNone, unused
    }

    /// Role of each slot of a table's top array.
    static let roles: [Role] = [
        .ref, .unused, .ref, .number, .ref, .number, .number, .ref, .ref, .numberOrNone, .refOrNone,
        .numberOrNone, .numberOrNone, .refOrNone,
    ]
}

extension NodeView {
    /// Ref of the tree of tombstones. Only for the top array of a table; `none` if this array has
    /// only 12 or 13 slots.
    var tombstones: Ref {
        count > TableShape.tombstones ? slot(TableShape.tombstones).child ?? .none : .none
    }
}

extension TableShape.Role {
    /// Whether `slot` contains the kind of content that this role requires. An unused slot may
    /// contain anything.
    func accepts(_ slot: NodeSlot) -> Bool {
        switch self {
        case .ref: slot.child != nil
        case .number: slot.isTagged
        case .refOrNone: !slot.isTagged
        case .numberOrNone: slot.isNone || slot.isTagged
        case .unused: true
        }
    }
}
