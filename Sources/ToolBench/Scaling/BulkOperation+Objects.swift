import RealmEngine

/// Operations in one transaction on many objects of a class that has search indexes.
extension BulkOperation {
    static let objects: [BulkOperation] = [
        BulkOperation(
            "delete-indexed",
            "delete a random half of the objects one by one, with eight indexed properties",
            leaves: { $0 - $0 / 2 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 8) },
            measure: { (d) throws(RealmError) in
                for key in d.half() { try d.writing().remove(d.table, key) }
            }),
        BulkOperation(
            "update-indexed", "set an indexed integer of a random half of the objects",
            leaves: { $0 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 2) },
            measure: { (d) throws(RealmError) in
                for key in d.half() {
                    try d.writing().set(d.table, key, 1, .int(Int64(d.below(1 << 40))))
                }
            }),
        BulkOperation(
            "clear-class",
            "delete all objects of a class with eight indexed properties", leaves: { _ in 0 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 8) },
            measure: { (d) throws(RealmError) in
                try d.writing().removeAllObjects(of: [d.table])
            }),
        BulkOperation(
            "drop-class",
            "remove a class with objects and eight indexed properties", leaves: { _ in 0 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 8) },
            measure: { (d) throws(RealmError) in try d.writing().removeClass(d.table) }),
        BulkOperation(
            "drop-property", "remove an indexed property of all objects", leaves: { $0 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 2) },
            measure: { (d) throws(RealmError) in try d.writing().removeProperty(d.table, 1) }),
        BulkOperation(
            "add-property", "add an indexed property to a class with objects", leaves: { $0 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 2) },
            measure: { (d) throws(RealmError) in
                var added = PropertySpec("added", .int)
                added.isIndexed = true
                try d.writing().addProperty(d.table, added)
            }),
    ]
}

extension BulkDatabase {
    /// Creates `count` objects with a text as primary key and `indexes` integers that have an
    /// index.
    func addIndexed(indexes: Int) throws(RealmError) {
        try addIndexedClass(indexes: indexes)
        for i in 0..<count { keys.append(try addIndexedObject(i, indexes: indexes)) }
        try commit()
    }

    func addIndexedClass(indexes: Int, _ others: [PropertySpec] = []) throws(RealmError) {
        let properties = (0..<indexes).map {
            var property = PropertySpec("number\($0)", .int)
            property.isIndexed = true
            return property
        }
        try addClass("Item", key: PropertySpec("_id", .string), properties + others)
    }

    func addIndexedObject(
        _ i: Int, indexes: Int, _ others: [Value] = []
    ) throws(RealmError) -> ObjectKey {
        var values = [text("item", i)]
        for _ in 0..<indexes { values.append(.int(Int64(below(1 << 40)))) }
        return try add(values + others, to: table)
    }
}
