import Foundation
import RealmSwift
import Testing

/// Opens a file with old and new declarations of the same classes, and migrates it.
@Suite struct MigrationTests {
    final class PersonOld: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var first: String
        @Persisted var last: String
        @Persisted var years: Int
        @Persisted var numbers: List<Int>
        override class func _realmObjectName() -> String? { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class PersonNew: Object {
        @Persisted(primaryKey: true) var id: String
        @Persisted var fullName: String
        @Persisted var age: Int
        @Persisted var numbers: List<Int>
        override class func _realmObjectName() -> String? { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private func file() throws -> RealmLab {
        let lab = try RealmLab([PersonOld.self])
        try autoreleasepool {
            let realm = try lab.open()
            try realm.write {
                realm.create(PersonOld.self, value: [1, "Ada", "Lovelace", 36, [1, 2]] as [Any])
                realm.create(PersonOld.self, value: [2, "Alan", "Turing", 41, [3]] as [Any])
            }
        }
        lab.configuration.objectTypes = [PersonNew.self]
        return lab
    }

    @Test func changedClassesNeedANewSchemaVersion() throws {
        let lab = try file()
        do {
            _ = try lab.open()
            Issue.record("opened")
        } catch let error as Realm.Error {
            #expect(error.code == .schemaMismatch)
            #expect(
                error.localizedDescription.contains("- Property 'Person.fullName' has been added."))
        }
        #expect(try schemaVersionAtURL(lab.configuration.fileURL!) == 0)
    }

    @Test func theBlockRenamesAndConvertsProperties() throws {
        let lab = try file()
        lab.configuration.schemaVersion = 3
        lab.configuration.migrationBlock = { migration, oldVersion in
            #expect(oldVersion == 0)
            migration.renameProperty(onType: "Person", from: "years", to: "age")
            migration.enumerateObjects(ofType: "Person") { old, new in
                new!["fullName"] = "\(old!["first"]!) \(old!["last"]!)"
                new!["id"] = "no \(old!["id"]!)"
                #expect((old!["numbers"] as? List<Int>)?.first == (old!["id"] as? Int == 1 ? 1 : 3))
            }
            let third = migration.create("Person", value: ["id": "x", "fullName": "Grace Hopper"])
            third["age"] = 85
            migration.enumerateObjects(ofType: "Person") { _, new in
                if new!["fullName"] as? String == "Alan Turing" { migration.delete(new!) }
            }
        }
        let realm = try lab.open()
        let people = realm.objects(PersonNew.self).sorted(byKeyPath: "id")
        #expect(people.map(\.id) == ["no 1", "x"])
        #expect(people.map(\.fullName) == ["Ada Lovelace", "Grace Hopper"])
        #expect(people.map(\.age) == [36, 85])
        #expect(Array(people[0].numbers) == [1, 2])
        #expect(try schemaVersionAtURL(lab.configuration.fileURL!) == 3)
        try lab.check()
    }

    @Test func filesAreCopiedAndDeleted() throws {
        let lab = try file()
        lab.configuration.deleteRealmIfMigrationNeeded = true
        try autoreleasepool {
            let realm = try lab.open()
            #expect(realm.objects(PersonNew.self).isEmpty && realm.isEmpty)
            try realm.write { realm.create(PersonNew.self, value: ["id": "a"]) }
            let copy = lab.configuration.fileURL!.deletingLastPathComponent()
                .appendingPathComponent("copy.realm")
            let key = Data((0..<64).map { UInt8($0) })
            try realm.writeCopy(toFile: copy, encryptionKey: key)
            #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: copy) }
            let other = try Realm(
                configuration: Realm.Configuration(
                    fileURL: copy, encryptionKey: key, objectTypes: [PersonNew.self]))
            #expect(other.objects(PersonNew.self).count == 1)
            do {
                _ = try Realm.deleteFiles(for: lab.configuration)
                Issue.record("deleted")
            } catch { #expect(Realm.Error.Code.alreadyOpen ~= error) }
        }
        let path = lab.configuration.fileURL!.path
        let beside = {
            [".lock", ".note", ".management", ".management/readers"].filter {
                FileManager.default.fileExists(atPath: path + $0)
            }
        }
        // Companion files that other processes can leave beside the database.
        mkfifo(path + ".note", 0o644)
        try Data().write(to: URL(fileURLWithPath: path + ".management/readers"))
        #expect(beside().count == 4)
        #expect(try Realm.deleteFiles(for: lab.configuration))
        #expect(!Realm.fileExists(for: lab.configuration) && beside() == [".lock"])
        #expect(try !Realm.deleteFiles(for: lab.configuration))
    }
}
