import RealmEngine

/// Operations that edit single elements of one collection, in one transaction.
extension BulkOperation {
    static let collections: [BulkOperation] = [
        elements("list-append-int", "append integers to one list", .list) {
            (d, location, i) throws(RealmError) in
            try d.writing().insertElement(.int(Int64(d.below(1 << 40))), at: i, in: location)
        },
        elements("list-append-text", "append texts to one list", .list, .string) {
            (d, location, i) throws(RealmError) in
            try d.writing().insertElement(d.text("element", i), at: i, in: location)
        },
        elements("list-insert-front", "insert integers at the front of one list", .list) {
            (d, location, i) throws(RealmError) in
            try d.writing().insertElement(.int(Int64(i)), at: 0, in: location)
        },
        elements("list-insert-random", "insert integers at random into one list", .list) {
            (d, location, i) throws(RealmError) in
            try d.writing().insertElement(.int(Int64(i)), at: d.below(i + 1), in: location)
        },
        elements("list-set-random", "set integers at random in one list", .list, isFull: true) {
            (d, location, i) throws(RealmError) in
            try d.writing().setElement(.int(Int64(i)), at: d.below(d.count), in: location)
        },
        elements(
            "list-erase-front", "remove all integers of one list, one by one from the front", .list,
            isFull: true
        ) { (d, location, i) throws(RealmError) in
            try d.writing().removeElement(at: 0, from: location)
        },
        elements("set-insert", "insert integers into one set", .set) {
            (d, location, i) throws(RealmError) in
            try d.writing().insertMember(.int(Int64(d.below(1 << 40))), into: location)
        },
        elements("set-insert-text", "insert texts into one set", .set, .string) {
            (d, location, i) throws(RealmError) in
            try d.writing().insertMember(d.text("m", d.below(1 << 40)), into: location)
        },
        elements("set-erase", "remove all integers of one set", .set, isFull: true) {
            (d, location, i) throws(RealmError) in
            try d.writing().removeMember(.int(Int64(i)), from: location)
        },
        elements("dictionary-insert", "insert integers into one dictionary", .dictionary) {
            (d, location, i) throws(RealmError) in
            try d.writing().setEntry(d.text("k", d.below(1 << 40)), to: .int(1), in: location)
        },
        elements(
            "dictionary-erase", "remove all entries of one dictionary", .dictionary, isFull: true
        ) { (d, location, i) throws(RealmError) in
            try d.writing().removeEntry(d.text("k", i), from: location)
        },
        clear("list-clear", "empty one list of integers", .int),
        clear("list-clear-mixed", "empty one list of mixed values", .mixed),
    ]

    /// Creates an operation that calls `edit` once for each element. The collection is empty at the
    /// beginning, or has all elements if `isFull` is true.
    private static func elements(
        _ name: String, _ summary: String, _ kind: CollectionKind, _ type: ColumnType = .int,
        isFull: Bool = false,
        edit: @escaping @Sendable (BulkDatabase, CollectionLocation, Int) throws(RealmError) -> Void
    ) -> BulkOperation {
        BulkOperation(
            name, summary, leaves: { _ in 1 },
            prepare: { (d) throws(RealmError) in
                try d.addCollection(kind, type, isFull: isFull)
            },
            measure: { (d) throws(RealmError) in
                let location = CollectionLocation(d.table, d.owner, 0)
                for i in 0..<d.count {
                    try edit(d, location, i)
                    d.clearTexts()
                }
            })
    }

    private static func clear(
        _ name: String, _ summary: String, _ type: ColumnType
    ) -> BulkOperation {
        BulkOperation(
            name, summary, leaves: { _ in 1 },
            prepare: { (d) throws(RealmError) in try d.addCollection(.list, type, isFull: true) },
            measure: { (d) throws(RealmError) in
                try d.writing().removeAllElements(of: CollectionLocation(d.table, d.owner, 0))
            })
    }
}

extension BulkDatabase {
    /// Creates an object with one collection. The collection is empty, or contains the numbers
    /// below `count`.
    func addCollection(
        _ kind: CollectionKind, _ type: ColumnType, isFull: Bool
    ) throws(RealmError) {
        var elements = PropertySpec("elements", type)
        elements.collection = kind
        let table = try addClass("Holder", [elements])
        owner = try writing().create(in: table)
        guard isFull else { return try commit() }
        if kind == .dictionary {
            let location = CollectionLocation(table, owner, 0)
            for i in 0..<count {
                try writing().setEntry(text("k", i), to: .int(Int64(i)), in: location)
                clearTexts()
            }
        } else {
            try writing().setElements(table, owner, 0, (0..<count).map { .int(Int64($0)) })
        }
        try commit()
    }
}
