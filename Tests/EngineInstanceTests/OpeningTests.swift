import Foundation
import Synchronization
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Opening a file with the wanted classes in one step, including creation, seeding and compaction.
@Suite struct OpeningTests {
    private static let dog = ClassSpec("Dog", "*id int", "+name string?", "owner Person?")
    private static let person = ClassSpec("Person", "name string", "pet Dog?")

    @Test func aNewFileContainsTheClasses() throws {
        let lab = try OpeningLab()
        let first = try lab.open([Self.dog, Self.person], version: 3)
        let version = first.version
        first.close()
        #expect(
            try lab.content() == [
                "version 3", "Dog topLevel: *id int, +name string?, owner Person?",
                "Person topLevel: name string, pet Dog?",
            ])
        // A second open makes no commit.
        let again = try lab.open([Self.person, Self.dog], version: 3)
        #expect(again.version == version)
        try expectSound(lab.path)
    }

    @Test func newClassesAndIndexesNeedNoNewSchemaVersion() throws {
        let lab = try OpeningLab()
        try lab.make([ClassSpec("Dog", "*id int", "name string?", "+age int")]) {
            (transaction) throws(RealmError) in
            for i in 0..<300 { try transaction.add("Dog", ["id": i, "name": "n\(i)", "age": i]) }
        }
        try lab.make([
            ClassSpec("Dog", "*id int", "+name string?", "age int"), ClassSpec("Cat", "x int"),
        ])
        let lines = try lab.content()
        #expect(
            lines[0...2] == [
                "version 0", "Cat topLevel: x int", "Dog topLevel: *id int, +name string?, age int",
            ])
        // Classes that are not requested stay.
        try lab.make([ClassSpec("Cat", "x int")])
        #expect(try lab.content() == lines)
        try expectSound(lab.path)
    }

    @Test func otherDifferencesNeedANewSchemaVersion() throws {
        let lab = try OpeningLab()
        try lab.make(
            [
                ClassSpec("Dog", "*id int", "name string?", "age int", "size int", "owner Person?"),
                ClassSpec("Person", "name string"), ClassSpec("Toy", "*id int", "other string"),
            ], version: 5
        ) { (transaction) throws(RealmError) in
            try transaction.add("Dog", ["id": 1])
        }
        let before = try lab.content()
        let wanted = [
            ClassSpec("Dog", "id int", "name string", "age string", "+extra int", "owner Dog?"),
            ClassSpec("Person", kind: .embedded, "name string?"),
            ClassSpec("Toy", "id int", "*other string"),
        ]
        let error = Thrown.error { _ = try lab.open(wanted, version: 5) }
        #expect(error?.code == "SchemaMismatch")
        #expect(
            error?.message.split(separator: "\n").map(String.init) == [
                "Migration is required due to the following errors:",
                "- Property 'Dog.name' has been made required.",
                "- Property 'Dog.age' has been changed from 'int' to 'string'.",
                "- Property 'Dog.size' has been removed.",
                "- Property 'Dog.owner' has been changed from '<Person>' to '<Dog>'.",
                "- Property 'Dog.extra' has been added.",
                "- Primary Key for class 'Dog' has been removed.",
                "- Class 'Person' has been changed from TopLevel to Embedded.",
                "- Property 'Person.name' has been made optional.",
                "- Primary Key for class 'Toy' has changed from 'id' to 'other'.",
            ])
        let older = Thrown.error { _ = try lab.open(wanted, version: 4) }
        #expect(older?.message == "Provided schema version 4 is less than last set version 5.")
        #expect(try lab.content() == before)
    }

    @Test func openingsOfOneProcessMustAgree() throws {
        let lab = try OpeningLab()
        let first = try lab.open([Self.dog, Self.person])
        let other = Thrown.error { _ = try lab.open([Self.dog, Self.person], version: 1) }
        #expect(other?.code == "MismatchedConfig")
        #expect(other?.message.contains("already opened with different schema version") == true)
        var reading = lab.request([Self.dog, Self.person])
        reading.isReadOnly = true
        let refused = Thrown.error { _ = try Instance.open(reading) }
        #expect(refused?.message.contains("already opened with different read permissions") == true)
        // Another subset of the classes is allowed.
        #expect(try lab.open([ClassSpec("Person", "name string", "pet Dog?")]) === first)
        first.close()
    }

    // MARK: Threads

    /// When several threads open a file at once, exactly one prepares it, and all find it ready.
    @Test func oneThreadPreparesTheFile() throws {
        let lab = try OpeningLab()
        try lab.make([ClassSpec("Dog", "name string")]) { (transaction) throws(RealmError) in
            for i in 0..<1000 { try transaction.add("Dog", ["name": "dog \(i)"]) }
        }
        let runs = Atomic(0)
        let good = Atomic(0)
        let asked = Atomic(0)
        var request = lab.request(
            [ClassSpec("Dog", "title string", "length int")], version: 2,
            path: .migrate { (migration) throws(RealmError) in
                runs.add(1, ordering: .relaxed)
                usleep(50_000)
                try migration.renameProperty(of: "Dog", from: "name", to: "title")
            })
        request.shouldCompact = { (_, _) in
            asked.add(1, ordering: .relaxed)
            return true
        }
        let shared = request
        Threads.run(8) { _ in
            guard let instance = try? Instance.open(shared) else { return }
            let snapshot = instance.snapshot()
            let info = snapshot.schema.classes[0]
            if info.columns.map(\.name) == ["title", "length"],
                (try? snapshot.table(info).count()) == 1000
            {
                good.add(1, ordering: .relaxed)
            }
            // The file stays open until all threads have opened it.
            while good.load(ordering: .relaxed) < 8 { usleep(1000) }
            instance.close()
        }
        #expect(runs.load(ordering: .relaxed) == 1)
        #expect(asked.load(ordering: .relaxed) == 1)
        #expect(good.load(ordering: .relaxed) == 8)
        try expectSound(lab.path)
    }

    @Test func aMigrationCannotOpenItsFile() throws {
        let lab = try OpeningLab()
        try lab.make([ClassSpec("Dog", "name string")])
        let before = try lab.content()
        let error = Thrown.error {
            _ = try lab.open(
                [ClassSpec("Dog", "name string?")], version: 1,
                path: .migrate { (_) throws(RealmError) in
                    _ = try Instance.open(lab.request([]))
                })
        }
        #expect(error?.reason == "opening")
        #expect(try lab.content() == before)
    }

    // MARK: Seeds

    @Test(arguments: [false, true]) func aMissingFileIsCopiedFromTheSeed(isEncrypted: Bool) throws {
        let key = isEncrypted ? try EncryptedImage.key() : nil
        let seed = try OpeningLab(key)
        try seed.make([ClassSpec("Dog", "name string")]) { (transaction) throws(RealmError) in
            try transaction.add("Dog", ["name": "Rex"])
        }
        let lab = try OpeningLab(key)
        var request = lab.request([ClassSpec("Dog", "name string")])
        request.seedPath = seed.path
        let first = try Instance.open(request)
        try first.write { (transaction) throws(RealmError) in
            _ = try transaction.add("Dog", ["name": "Fido"])
        }
        first.close()
        // An existing file is not replaced by the seed.
        let second = try Instance.open(request)
        second.close()
        #expect(
            try lab.content() == ["version 0", "Dog topLevel: name string", "  Rex", "  Fido"])
        #expect(try seed.content() == ["version 0", "Dog topLevel: name string", "  Rex"])
        request.configuration.path = lab.folder.file("missing.realm")
        request.seedPath = lab.folder.file("no-seed.realm")
        let missing = request
        let error = Thrown.error { _ = try Instance.open(missing) }
        #expect(error?.reason == "missing" && error?.file == missing.seedPath)
        #expect(!FileManager.default.fileExists(atPath: missing.configuration.path))
    }

    // MARK: Compaction

    @Test func compactsIfTheFileHasNoOtherUser() throws {
        let lab = try OpeningLab()
        let spec = ClassSpec("Dog", "name string")
        try lab.make([spec]) { (transaction) throws(RealmError) in
            for i in 0..<20_000 { try transaction.add("Dog", ["name": "a dog called \(i)"]) }
        }
        do {
            let last = try lab.open([spec])
            try last.write { (transaction) throws(RealmError) in
                try transaction.removeAllObjects(of: [transaction.table(named: "Dog")!])
                _ = try transaction.add("Dog", ["name": "last"])
            }
            last.close()
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: lab.path)).count
        let sizes = Mutex<[(total: Int, used: Int)]>([])
        var request = lab.request([spec])
        request.shouldCompact = { total, used in
            sizes.withLock { $0.append((total, used)) }
            return used < total / 2
        }
        // While the file is open elsewhere, the closure is called but the file is not compacted.
        do {
            let other = try Database(participating: DatabasePath(lab.path), lab.unsynced)
            try Instance.open(request).close()
            #expect(try Data(contentsOf: URL(fileURLWithPath: lab.path)).count >= before)
            _ = other
        }
        try Instance.open(request).close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: lab.path)).count < before / 5)
        let asked = sizes.withLock { $0 }
        #expect(
            asked.count == 2 && asked.allSatisfy { $0.total >= before && $0.used < before / 5 })
        #expect(try lab.content() == ["version 0", "Dog topLevel: name string", "  last"])
        try expectSound(lab.path)
    }

    // MARK: Deleting all data

    @Test func deletesAllDataIfTheSchemaDiffers() throws {
        let lab = try OpeningLab()
        let old = ClassSpec("Dog", "name string")
        try lab.make([old], version: 7) { (transaction) throws(RealmError) in
            try transaction.add("Dog", ["name": "Rex"])
        }
        // Without a difference, no data is deleted.
        try lab.open([old], version: 7, path: .recreate).close()
        #expect(try lab.content().last == "  Rex")
        do {
            let other = try Database(participating: DatabasePath(lab.path), lab.unsynced)
            let error = Thrown.error {
                _ = try lab.open([ClassSpec("Dog", "name int")], version: 7, path: .recreate)
            }
            #expect(error?.kind == .busy)
            _ = other
        }
        #expect(try lab.content().last == "  Rex")
        try lab.open([ClassSpec("Dog", "name int")], version: 7, path: .recreate).close()
        #expect(try lab.content() == ["version 7", "Dog topLevel: name int"])
        // Also for an older schema version.
        try lab.open([ClassSpec("Dog", "name int")], version: 2, path: .recreate).close()
        #expect(try lab.content() == ["version 2", "Dog topLevel: name int"])
        try expectSound(lab.path)
    }

    // MARK: Read-only instances

    @Test func readOnlyInstancesLeaveTheFileUnchanged() throws {
        let lab = try OpeningLab()
        let spec = ClassSpec("Dog", "name string", "age int")
        try lab.make([spec], version: 4) { (transaction) throws(RealmError) in
            try transaction.add("Dog", ["name": "Rex", "age": 3])
        }
        for name in [".lock", ".note", ".management"] {
            try? FileManager.default.removeItem(atPath: lab.path + name)
        }
        func error(_ classes: [ClassSpec], version: UInt64) -> String? {
            var request = lab.request(classes, version: version)
            request.isReadOnly = true
            return Thrown.error { try Instance.open(request).close() }?.message
        }
        // Missing classes are empty, and properties that are not requested are ignored.
        #expect(
            error([ClassSpec("Dog", "name string"), ClassSpec("Cat", "x int")], version: 4) == nil)
        #expect(
            error([spec], version: 5)
                == "Provided schema version 5 does not equal last set version 4.")
        #expect(
            error([ClassSpec("Dog", "name string?", "size int")], version: 4)
                == """
                The following changes cannot be made in read-only schema mode:
                - Property 'Dog.name' has been made optional.
                - Property 'Dog.size' has been added.
                """)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: lab.folder.path) == [
                "opening.realm"
            ])
    }

    @Test func schemasApplyToInMemoryDatabases() throws {
        let configuration = Instance.Configuration(inMemory: "opening")
        var request = OpeningRequest(configuration)
        request.schema = WantedSchema([Self.dog, Self.person], version: 1)
        let instance = try Instance.open(request)
        #expect(instance.schema.version == 1 && instance.schema.classes.count == 2)
        #expect(try Instance.open(request) === instance)
        instance.close()
    }
}

extension OpeningLab {
    /// Options of other participants in the session.
    var unsynced: Database.Options {
        var options = Database.Options()
        options.isDurable = false
        options.key = configuration.key
        return options
    }
}
