/// Slots of the top node of a table (object format 1.2). Files from before format 20 have 12 or 13
/// slots, and upgrades keep that; missing slots are read as 0.
enum TableShape {
    /// Ref of the descriptions of the columns (`SpecShape`).
    static let spec = 0
    /// 0; the root of each column up to format 9.
    static let unused = 1
    /// Ref of the cluster tree of the objects.
    static let objects = 2
    /// Number: the table's key.
    static let key = 3
    /// Ref of the roots of the search indexes, 0 for none, by leaf index.
    static let indexes = 4
    /// Number of columns removed so far.
    static let columnCounter = 5
    /// Number of commits that changed the table.
    static let contentVersion = 6
    /// Refs of two arrays of numbers by leaf index: keys of the table and of the column at the
    /// other end of a link.
    static let oppositeTables = 7
    static let oppositeColumns = 8
    /// Number of the next object without a primary key; 0 before the first one.
    static let nextSequenceNumber = 9
    /// Ref of the collision map (`CollisionMapShape`) or 0.
    static let collisions = 10
    /// Number: key of the primary key's column; 0 for none.
    static let primaryKey = 11
    /// Number: the kind of table in the lowest two bits; from format 20 on.
    static let kind = 12
    /// Ref of the cluster tree of tombstones or 0; from format 20 on.
    static let tombstones = 13

    static let count = 14
    static let minimumCount = 12
    /// Number of slots up to format 9: the spec, and the root of each column.
    static let legacyCount = 2
    static let legacyColumns = 1

    /// Slots without which a table cannot be read.
    static let required = [spec, objects, key]

    /// Content of a slot.
    enum Role {
        case ref, number, refOrNone, numberOrNone, unused
    }

    /// Roles by slot.
    static let roles: [Role] = [
        .ref, .unused, .ref, .number, .ref, .number, .number, .ref, .ref, .numberOrNone, .refOrNone,
        .numberOrNone, .numberOrNone, .refOrNone,
    ]
}

extension NodeView {
    /// Ref of the tree of tombstones of a table; none in tables of 12 or 13 slots.
    var tombstones: Ref {
        count > TableShape.tombstones ? slot(TableShape.tombstones).child ?? .none : .none
    }
}

extension TableShape.Role {
    /// Whether `slot` may have this role. Every value may be in an unused slot.
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
