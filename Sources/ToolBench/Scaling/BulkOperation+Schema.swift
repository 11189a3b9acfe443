import RealmEngine

/// Operations on files with many classes, and on classes with many properties.
extension BulkOperation {
    static let schema: [BulkOperation] = [
        BulkOperation(
            "create-classes", "create N/20 classes with two properties each",
            per: 20,
            leaves: { _ in 0 }, prepare: { _ in },
            measure: { (d) throws(RealmError) in try d.addClasses() }),
        BulkOperation(
            "rename-classes", "rename all of N/20 classes", per: 20,
            leaves: { _ in 0 },
            prepare: { (d) throws(RealmError) in try d.addClasses() },
            measure: { (d) throws(RealmError) in
                for (i, table) in d.tables.enumerated() {
                    try d.writing().renameClass(table, to: "Renamed\(i)")
                }
            }),
        BulkOperation(
            "drop-classes", "remove all but one of N/20 classes", per: 20,
            leaves: { _ in 0 },
            prepare: { (d) throws(RealmError) in try d.addClasses() },
            measure: { (d) throws(RealmError) in
                for table in d.tables.dropFirst() { try d.writing().removeClass(table) }
            }),
        BulkOperation(
            "commit-many-classes",
            "make 200 commits of one object each, in a file with N/20 classes",
            per: 20, leaves: { _ in 200 },
            prepare: { (d) throws(RealmError) in try d.addClasses() },
            measure: { (d) throws(RealmError) in
                for i in 0..<200 {
                    try d.add([.int(Int64(i)), .null], to: d.table)
                    try d.commit()
                }
            }),
        BulkOperation(
            "create-wide-class", "create a class with N/20 properties", per: 20,
            leaves: { _ in 0 }, prepare: { _ in },
            measure: { (d) throws(RealmError) in try d.addWideClass() }),
        BulkOperation(
            "fill-wide-class", "insert 100 objects with N/20 properties each",
            per: 20,
            leaves: { _ in 100 },
            prepare: { (d) throws(RealmError) in try d.addWideClass() },
            measure: { (d) throws(RealmError) in
                let values = (0..<d.count).map { Value.int(Int64($0)) }
                for _ in 0..<100 { try d.add(values, to: d.table) }
            }),
    ]
}

extension BulkDatabase {
    /// Creates `count` classes with two properties each.
    func addClasses() throws(RealmError) {
        var name = PropertySpec("name", .string)
        name.isOptional = true
        for i in 0..<count { try addClass("Class\(i)", [PropertySpec("number", .int), name]) }
        try commit()
    }

    /// Creates a class with `count` properties.
    func addWideClass() throws(RealmError) {
        try addClass("Wide", (0..<count).map { PropertySpec("property\($0)", .int) })
        try commit()
    }
}
