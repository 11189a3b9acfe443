import RealmEngine

/// Operations that insert objects in commits of a fixed size, while the file grows.
extension BulkOperation {
    static let loading: [BulkOperation] = [
        load(
            "load",
            "insert objects with two indexed properties in one transaction", commitEvery: .max),
        load("load-by-1000", "insert objects with two indexed properties, 1000 in each commit"),
        load(
            "load-texts",
            "like load-by-1000, with a text of 300 bytes in each object", textSize: 300),
        BulkOperation(
            "mail-commits",
            "insert N/10 objects, each in a commit of its own, with a text as primary key, two "
                + "indexed properties and a list of one text", per: 10, leaves: { $0 },
            prepare: { (d) throws(RealmError) in
                var tags = PropertySpec("tags", .string)
                tags.collection = .list
                try d.addIndexedClass(indexes: 2, [tags])
            },
            measure: { (d) throws(RealmError) in
                for i in 0..<d.count {
                    let key = try d.addIndexedObject(i, indexes: 2, [.null])
                    try d.writing().setElements(d.table, key, 3, [d.text("inbox", i % 10)])
                    d.clearTexts()
                    try d.commit()
                }
            }),
        BulkOperation(
            "update-commits",
            "set an indexed integer of ten random objects in each of N/100 commits",
            leaves: { $0 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 2) },
            measure: { (d) throws(RealmError) in
                for _ in 0..<max(1, d.count / 100) { try d.updateTen() }
            }),
        BulkOperation(
            "delete-commits", "delete a random half of the objects, 100 in each commit",
            leaves: { $0 - $0 / 2 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 2) },
            measure: { (d) throws(RealmError) in
                for (i, key) in d.half().enumerated() {
                    try d.writing().remove(d.table, key)
                    if i % 100 == 99 { try d.commit() }
                }
            }),
    ]

    private static func load(
        _ name: String, _ summary: String, textSize: Int = 0, commitEvery: Int = 1000
    ) -> BulkOperation {
        BulkOperation(
            name, summary, leaves: { $0 },
            prepare: { (d) throws(RealmError) in
                try d.addIndexedClass(indexes: 2, [PropertySpec("text", .string)])
            },
            measure: { (d) throws(RealmError) in
                for i in 0..<d.count {
                    let text = d.text("text", i, padding: textSize)
                    _ = try d.addIndexedObject(i, indexes: 2, [text])
                    if i % commitEvery == commitEvery - 1 { try d.commit() }
                }
            })
    }
}

extension BulkDatabase {
    /// Changes the indexed integer of ten random objects, and commits.
    func updateTen() throws(RealmError) {
        for _ in 0..<10 {
            let key = keys[below(keys.count)]
            try writing().set(table, key, 1, .int(Int64(below(1 << 40))))
        }
        try commit()
    }
}
