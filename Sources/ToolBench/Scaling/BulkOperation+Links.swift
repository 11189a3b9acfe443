import RealmEngine

/// Operations that edit objects to which other objects link.
extension BulkOperation {
    static let links: [BulkOperation] = [
        BulkOperation(
            "delete-linked",
            "delete N objects that all link to the same object", leaves: { _ in 1 },
            prepare: { (d) throws(RealmError) in try d.linkItems(targets: 1) },
            measure: { (d) throws(RealmError) in try d.writing().remove(d.table, d.keys) }),
        BulkOperation(
            "delete-linked-half",
            "delete a random half of the objects, which all link to the same object",
            leaves: { $0 - $0 / 2 + 1 },
            prepare: { (d) throws(RealmError) in try d.linkItems(targets: 1) },
            measure: { (d) throws(RealmError) in try d.writing().remove(d.table, d.half()) }),
        BulkOperation(
            "delete-linked-singly",
            "delete a random half of the objects one by one; each object links to one of five "
                + "others",
            leaves: { $0 - $0 / 2 + 5 },
            prepare: { (d) throws(RealmError) in try d.linkItems(targets: 5) },
            measure: { (d) throws(RealmError) in
                for key in d.half() { try d.writing().remove(d.table, key) }
            }),
        BulkOperation(
            "unlink",
            "set the links of all objects, which have the same target, to null", leaves: { $0 + 1 },
            prepare: { (d) throws(RealmError) in try d.linkItems(targets: 1) },
            measure: { (d) throws(RealmError) in
                for key in d.keys { try d.writing().set(d.table, key, 1, .null) }
            }),
        BulkOperation(
            "relink", "change the links of all objects from one target object to another",
            leaves: { $0 + 2 },
            prepare: { (d) throws(RealmError) in
                try d.linkItems(targets: 1)
                d.owner = try d.writing().create(in: d.tables[1])
            },
            measure: { (d) throws(RealmError) in
                let link = Value.link(ObjectLink(table: d.tables[1], key: d.owner))
                for key in d.keys { try d.writing().set(d.table, key, 1, link) }
            }),
        BulkOperation(
            "drop-linked-class", "remove a class whose objects all link to the same object",
            leaves: { _ in 1 },
            prepare: { (d) throws(RealmError) in try d.linkItems(targets: 1) },
            measure: { (d) throws(RealmError) in try d.writing().removeClass(d.table) }),
        BulkOperation(
            "drop-link-property",
            "remove a link property through which all objects link to the same object",
            leaves: { $0 + 1 },
            prepare: { (d) throws(RealmError) in try d.linkItems(targets: 1) },
            measure: { (d) throws(RealmError) in try d.writing().removeProperty(d.table, 1) }),
        held("delete-in-list", "delete all N objects of one list", .list),
        held("delete-in-set", "delete all N objects of one set", .set),
        held(
            "delete-in-dictionary", "delete all N objects of one dictionary",
            .dictionary),
        held(
            "delete-in-mixed-list", "delete all N objects to which one list of mixed values links",
            .list, type: .mixed),
        BulkOperation(
            "delete-held-often", "delete one object that one list contains N times",
            leaves: { _ in 1 },
            prepare: { (d) throws(RealmError) in
                try d.holdItems(.list, type: .link, items: 1)
                let link = Value.link(ObjectLink(table: d.table, key: d.keys[0]))
                try d.writing().setElements(
                    d.tables[1], d.owner, 0, [Value](repeating: link, count: d.count))
            },
            measure: { (d) throws(RealmError) in try d.writing().remove(d.table, d.keys[0]) }),
    ]

    private static func held(
        _ name: String, _ summary: String, _ kind: CollectionKind, type: ColumnType = .link
    ) -> BulkOperation {
        BulkOperation(
            name, summary, leaves: { _ in 1 },
            prepare: { (d) throws(RealmError) in
                try d.holdItems(kind, type: type, items: d.count)
            },
            measure: { (d) throws(RealmError) in try d.writing().remove(d.table, d.keys) })
    }
}

extension BulkDatabase {
    /// Creates `count` objects, each with a number and a link to one of `targets` objects. The
    /// links are distributed evenly over the targets.
    func linkItems(targets: Int) throws(RealmError) {
        let target = try writing().createClass("Target")
        var link = PropertySpec("to", .link)
        link.target = target
        let item = try addClass("Item", [PropertySpec("number", .int), link])
        tables.append(target)
        var ends: [Value] = []
        for _ in 0..<targets {
            let key = try writing().create(in: target)
            ends.append(.link(ObjectLink(table: target, key: key)))
        }
        for i in 0..<count { keys.append(try add([.int(Int64(i)), ends[i % targets]], to: item)) }
        try commit()
    }

    /// Creates `items` objects, and one object whose collection links to all of them.
    func holdItems(
        _ kind: CollectionKind, type: ColumnType, items: Int
    ) throws(RealmError) {
        let item = try addClass("Item", [PropertySpec("number", .int)])
        var links = PropertySpec("items", type)
        if type == .link { links.target = item }
        links.collection = kind
        let holder = try addClass("Holder", [links])
        owner = try writing().create(in: holder)
        for i in 0..<items { keys.append(try add([.int(Int64(i))], to: item)) }
        let values = keys.map { Value.link(ObjectLink(table: item, key: $0)) }
        if kind == .dictionary {
            let location = CollectionLocation(holder, owner, 0)
            for (i, value) in values.enumerated() {
                try writing().setEntry(text("key", i), to: value, in: location)
                clearTexts()
            }
        } else {
            try writing().setElements(holder, owner, 0, values)
        }
        try commit()
    }
}
