import Foundation
@_spi(Testing) import RealmSwift
import Testing

@testable import RealmEngine

/// Members that cannot throw trap if the database or its lock file is damaged.
@Suite struct DamagedFileTests {
    private let lab: RealmLab
    private let path: String

    init() throws {
        lab = try RealmLab([Owner.self, Dog.self, Collar.self])
        path = lab.configuration.fileURL!.path
    }

    @Test func aDamagedTableIsNotEmpty() throws {
        try autoreleasepool {
            let realm = try lab.open()
            #expect(realm.isEmpty)
            try realm.write { realm.create(Owner.self, value: ["name": "Ada"]) }
            #expect(!realm.isEmpty)
        }
        let tables = try Database(immutable: path).schema
        let root = try #require(tables.objectClass(named: "Owner")).root
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: root.raw)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 8))
        try file.close()
        let realm = try lab.open()
        #expect(RealmTesting.catchMisuse { _ = realm.isEmpty } != nil)
    }

    @Test func aDamagedVersionListPreventsRefreshing() throws {
        let realm = try lab.open()
        #expect(!realm.refresh())
        var options = WriteSession.Options()
        options.isSeparate = true
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let owner = try #require(session.database.schema.objectClass(named: "Owner"))
        _ = try transaction.create(in: owner.key)
        try transaction.commit()
        let list = try #require(session.database.session?.file)
        let entry = list.entry(Int(list.newest))
        let top = entry.top
        entry.top = top + 1
        let misuse = RealmTesting.catchMisuse { _ = realm.refresh() }
        entry.top = top
        #expect(misuse?.reason.contains("damaged") == true)
        #expect(realm.refresh() && realm.objects(Owner.self).count == 1)
        try lab.check()
    }
}
