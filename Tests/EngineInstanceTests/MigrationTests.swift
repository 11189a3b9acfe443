import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Migration of files with older schema versions, and migrations that fail.
@Suite struct MigrationTests {
    /// Makes a file of schema version 0 with objects.
    private static func lab(
        _ classes: [ClassSpec], _ body: (WriteTransaction) throws(RealmError) -> Void
    ) throws -> OpeningLab {
        let lab = try OpeningLab()
        try lab.make(classes, body)
        return lab
    }

    private static func dogs() throws -> OpeningLab {
        try lab([ClassSpec("Dog", "*id int", "name string?", "age int")]) {
            (transaction) throws(RealmError) in
            try transaction.add("Dog", ["id": 1, "name": "Rex", "age": 4])
            try transaction.add("Dog", ["id": 2, "name": nil, "age": 5])
        }
    }

    @Test func migratesWithoutABlock() throws {
        let lab = try Self.dogs()
        try lab.open(
            [
                ClassSpec("Dog", "*id int", "name string", "+age int?", "toy Toy?"),
                ClassSpec("Toy", "x int"),
            ], version: 1
        ).close()
        // A property that becomes required loses its values; the others keep theirs.
        #expect(
            try lab.content() == [
                "version 1", "Dog topLevel: *id int, name string, +age int?, toy Toy?",
                "  1 '' 4 -", "  2 '' 5 -", "Toy topLevel: x int",
            ])
        try expectSound(lab.path)
    }

    @Test func theBlockReadsOldAndWritesNewObjects() throws {
        let lab = try Self.dogs()
        try lab.open(
            [ClassSpec("Dog", "*id int", "label string")], version: 9,
            path: .migrate { (migration) throws(RealmError) in
                #expect(migration.oldVersion == 0)
                let old = migration.old.snapshot()
                let info = old.schema.classes[0]
                #expect(info.columns.map(\.name) == ["id", "name", "age"])
                let write = migration.new.write
                let table = write.table(named: "Dog")!
                let label = try write.column(named: "label", in: table)!
                let rows = old.table(info)
                for key in try rows.keys() {
                    let row = try rows.row(key)!
                    guard case .string(let name) = try row.value(1) else { continue }
                    try write.set(table, key, label, .string(name))
                }
                // The old properties exist until the end of the migration.
                #expect(try write.column(named: "age", in: table) != nil)
            }
        ).close()
        #expect(
            try lab.content() == [
                "version 9", "Dog topLevel: *id int, label string", "  1 Rex", "  2 ''",
            ])
        try expectSound(lab.path)
    }

    @Test func aFailedMigrationChangesNothing() throws {
        let lab = try Self.dogs()
        let before = try lab.content()
        let version = try Database(immutable: lab.path).version
        let error = Thrown.error {
            _ = try lab.open(
                [ClassSpec("Dog", "*id int")], version: 1,
                path: .migrate { (migration) throws(RealmError) in
                    _ = try migration.deleteObjects(of: "Dog")
                    throw .misuse("enough", reason: "test")
                })
        }
        #expect(error?.message == "enough")
        #expect(try lab.content() == before)
        #expect(try Database(immutable: lab.path).version == version)
        // The next migration can succeed.
        try lab.open([ClassSpec("Dog", "*id int")], version: 1).close()
        #expect(try lab.content() == ["version 1", "Dog topLevel: *id int", "  1", "  2"])
        try expectSound(lab.path)
    }

    // MARK: Renaming and removing

    @Test func propertiesAreRenamedWithTheirValues() throws {
        let lab = try Self.dogs()
        try lab.open(
            [ClassSpec("Dog", "*number int", "title string?", "years int?")], version: 1,
            path: .migrate { (migration) throws(RealmError) in
                try migration.renameProperty(of: "Dog", from: "id", to: "number")
                // Renaming through an intermediate name.
                try migration.renameProperty(of: "Dog", from: "name", to: "between")
                try migration.renameProperty(of: "Dog", from: "between", to: "title")
                try migration.renameProperty(of: "Dog", from: "age", to: "years")
            }
        ).close()
        #expect(
            try lab.content() == [
                "version 1", "Dog topLevel: *number int, title string?, years int?",
                "  1 Rex 4", "  2 - 5",
            ])
        try expectSound(lab.path)
    }

    @Test func invalidRenamesAreRefused() throws {
        let lab = try Self.dogs()
        let before = try lab.content()
        func error(_ name: String, _ old: String, _ new: String) -> String? {
            Thrown.error {
                _ = try lab.open(
                    [ClassSpec("Dog", "*id int", "title string", "text string?")], version: 1,
                    path: .migrate { (migration) throws(RealmError) in
                        try migration.renameProperty(of: name, from: old, to: new)
                    })
            }?.message
        }
        let what = "Cannot rename property 'Dog."
        #expect(
            error("Cat", "a", "b")
                == "Cannot rename properties for type 'Cat' because it does not exist.")
        #expect(error("Dog", "none", "title") == what + "none' because it does not exist.")
        #expect(
            error("Dog", "id", "title")
                == what + "id' to 'title' because the source property still exists.")
        #expect(
            error("Dog", "name", "title")
                == what + "name' to 'title' because it would change from optional to required.")
        #expect(
            error("Dog", "age", "text")
                == what + "age' to 'text' because it would change from type 'int' to 'string'.")
        #expect(error("Dog", "age", "years") == "Renamed property 'Dog.years' does not exist.")
        #expect(try lab.content() == before)
    }

    @Test func objectsAndClassesAreDeleted() throws {
        let lab = try Self.lab([
            ClassSpec("Dog", "name string", "toy Toy?"), ClassSpec("Toy", "x int"),
            ClassSpec("Gone", "x int"),
        ]) { (transaction) throws(RealmError) in
            let toy = try transaction.add("Toy", ["x": 1])
            let link = ObjectLink(table: transaction.table(named: "Toy")!, key: toy)
            try transaction.add("Dog", ["name": "Rex", "toy": link])
            try transaction.add("Gone", ["x": 1])
        }
        try lab.open(
            [ClassSpec("Dog", "name string", "toy Toy?"), ClassSpec("Toy", "x int")], version: 1,
            path: .migrate { (migration) throws(RealmError) in
                #expect(try migration.deleteObjects(of: "Gone"))
                #expect(try migration.deleteObjects(of: "Toy"))
                #expect(try !migration.deleteObjects(of: "None"))
            }
        ).close()
        #expect(
            try lab.content() == [
                "version 1", "Dog topLevel: name string, toy Toy?", "  Rex -",
                "Toy topLevel: x int",
            ])
        try expectSound(lab.path)
    }

    // MARK: Primary keys

    @Test func primaryKeysAreCheckedAfterTheBlock() throws {
        let lab = try Self.dogs()
        let before = try lab.content()
        let wanted = [ClassSpec("Dog", "id int", "name string?", "*age int")]
        func migrate(_ first: Int64, _ second: Int64) throws {
            try lab.open(
                wanted, version: 1,
                path: .migrate { (migration) throws(RealmError) in
                    let write = migration.new.write
                    let table = write.table(named: "Dog")!
                    let age = try write.column(named: "age", in: table)!
                    let keys = try migration.new.snapshot().table(table).keys()
                    // The values are temporarily equal.
                    try write.set(table, keys[0], age, .int(second))
                    try write.set(table, keys[1], age, .int(second))
                    try write.set(table, keys[0], age, .int(first))
                }
            ).close()
        }
        let error = Thrown.error { try migrate(8, 8) }
        #expect(
            error?.message
                == "Primary key property 'Dog.age' has duplicate values after migration.")
        #expect(try lab.content() == before)
        try migrate(8, 9)
        #expect(
            try lab.content() == [
                "version 1", "Dog topLevel: id int, name string?, *age int", "  1 Rex 8", "  2 - 9",
            ])
        try expectSound(lab.path)
        let instance = try lab.open(wanted, version: 1)
        try instance.write { (transaction) throws(RealmError) in
            let table = transaction.table(named: "Dog")!
            #expect(try transaction.find(in: table, primaryKey: .int(9)) != nil)
            #expect(try transaction.find(in: table, primaryKey: .int(2)) == nil)
            try transaction.add("Dog", ["id": 7, "age": 7])
        }
        instance.close()
        try expectSound(lab.path)
    }

    /// Values of an unchanged primary key may be swapped.
    @Test func primaryKeysMayBeSet() throws {
        let lab = try Self.dogs()
        try lab.open(
            [ClassSpec("Dog", "*id int", "name string?", "age int")], version: 1,
            path: .migrate { (migration) throws(RealmError) in
                let write = migration.new.write
                let table = write.table(named: "Dog")!
                let keys = try migration.new.snapshot().table(table).keys()
                try write.set(table, keys[0], 0, .int(2))
                try write.set(table, keys[1], 0, .int(1))
            }
        ).close()
        #expect(try lab.content().suffix(2) == ["  2 Rex 4", "  1 - 5"])
        try expectSound(lab.path)
        let instance = try lab.open(
            [ClassSpec("Dog", "*id int", "name string?", "age int")], version: 1)
        let refused = Thrown.error {
            try instance.write { (transaction) throws(RealmError) in
                let table = transaction.table(named: "Dog")!
                let key = try transaction.find(in: table, primaryKey: .int(1))!
                try transaction.set(table, key, 0, .int(3))
            }
        }
        #expect(refused?.reason == "primary-key")
        instance.close()
    }

    @Test func aPrimaryKeyMayChangeItsType() throws {
        let lab = try Self.dogs()
        try lab.open(
            [ClassSpec("Dog", "*id string", "age int")], version: 1,
            path: .migrate { (migration) throws(RealmError) in
                let write = migration.new.write
                let table = write.table(named: "Dog")!
                let id = try write.column(named: "id", in: table)!
                for key in try migration.new.snapshot().table(table).keys() {
                    let owner = ByteArena()
                    let text = PlainValue.view(Array("dog \(key.raw)".utf8), owner)
                    try write.set(table, key, id, .string(text))
                }
            }
        ).close()
        #expect(
            try lab.content().sorted().suffix(2) == [
                "Dog topLevel: age int, *id string", "version 1",
            ])
        try expectSound(lab.path)
    }

    // MARK: Embedded classes

    @Test func aClassMayBecomeEmbedded() throws {
        let lab = try Self.lab([
            ClassSpec("Dog", "name string", "toy Toy?"), ClassSpec("Toy", "x int"),
        ]) { (transaction) throws(RealmError) in
            let table = transaction.table(named: "Toy")!
            let toy = try transaction.add("Toy", ["x": 1])
            try transaction.add("Toy", ["x": 2])
            let link = ObjectLink(table: table, key: toy)
            try transaction.add("Dog", ["name": "Rex", "toy": link])
            try transaction.add("Dog", ["name": "Fido", "toy": link])
        }
        let wanted = [
            ClassSpec("Dog", "name string", "toy Toy?"), ClassSpec("Toy", kind: .embedded, "x int"),
        ]
        let before = try lab.content()
        func migrate(_ toys: [Int], _ dogs: [Int]) throws {
            try lab.open(
                wanted, version: 1,
                path: .migrate { (migration) throws(RealmError) in
                    let write = migration.new.write
                    for (name, gone) in [("Toy", toys), ("Dog", dogs)] {
                        let table = write.table(named: name)!
                        let keys = try migration.new.snapshot().table(table).keys()
                        for i in gone { try write.remove(table, keys[i]) }
                    }
                }
            ).close()
        }
        let orphan = Thrown.error { try migrate([], [0]) }
        #expect(orphan?.message.contains("at least one object has no incoming links") == true)
        let shared = Thrown.error { try migrate([1], []) }
        #expect(
            shared?.message.contains("at least one object has more than one incoming link") == true)
        #expect(try lab.content() == before)
        try migrate([1], [0])
        #expect(
            try lab.content() == [
                "version 1", "Dog topLevel: name string, toy Toy?", "  Fido >0",
                "Toy embedded: x int", "  1",
            ])
        try expectSound(lab.path)
        // Back to a top-level class, which may have its own objects.
        try lab.make(
            [ClassSpec("Dog", "name string", "toy Toy?"), ClassSpec("Toy", "x int")], version: 2
        ) { (transaction) throws(RealmError) in
            try transaction.add("Toy", ["x": 3])
        }
        #expect(try lab.content().last == "  3")
        try expectSound(lab.path)
    }
}
