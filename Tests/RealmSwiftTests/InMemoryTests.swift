import Foundation
import RealmSwift
import Testing

/// A realm in memory keeps its data as long as at least one of its instances exists.
@Suite struct InMemoryTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: RealmTests.types)

    private func add() throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(Owner()) }
    }

    private func count() throws -> Int {
        try Realm(configuration: configuration).objects(Owner.self).count
    }

    @Test func dataIsDeletedWithTheLastInstance() throws {
        try add()
        #expect(try count() == 0)
    }

    @Test func anInstanceRetainsTheData() throws {
        let realm = try Realm(configuration: configuration)
        try add()
        #expect(try count() == 1)
        withExtendedLifetime(realm) {}
    }

    @Test func anAutoreleasePoolRetainsTheData() throws {
        try autoreleasepool {
            try add()
            #expect(try count() == 1)
        }
        #expect(try count() == 0)
    }
}
