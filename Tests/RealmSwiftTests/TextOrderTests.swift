import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Orders and comparisons of texts that the SDK does not have.
@Suite struct TextOrderTests {
    private let lab: RealmLab
    private static let names = ["Zoe", "émile", "anna", "Émile 10", "Émile 9", "ЖУК", "жук"]

    init() throws { lab = try RealmLab([Named.self]) }

    private func filled() throws -> Realm {
        let realm = try lab.open()
        try realm.write {
            for (i, name) in Self.names.enumerated() {
                realm.create(Named.self, value: ["id": i, "name": name])
            }
            realm.objects(Named.self)[0].words.append(objectsIn: ["b", "A", "a10", "a9"])
        }
        return realm
    }

    @Test func descriptorsWithOptionsSortTextsAsPeopleReadThem() throws {
        let realm = try filled()
        let objects = realm.objects(Named.self)
        func names(_ options: String.CompareOptions, _ isAscending: Bool = true) -> [String] {
            let order = SortDescriptor(
                keyPath: "name", ascending: isAscending, options: options)
            return objects.sorted(by: [order]).map(\.name)
        }
        #expect(
            names([.caseInsensitive, .diacriticInsensitive, .numeric])
                == ["anna", "émile", "Émile 9", "Émile 10", "Zoe", "ЖУК", "жук"])
        #expect(names([.caseInsensitive], false).last == "anna")
        #expect(
            names([]) == objects.sorted(byKeyPath: "name").map(\.name))
        let reversed = SortDescriptor(keyPath: "name", options: .caseInsensitive).reversed()
        #expect(objects.sorted(by: [reversed]).map(\.name) == names(.caseInsensitive, false))
        let words = objects[0].words
        #expect(
            Array(
                words.sorted(by: [
                    SortDescriptor(keyPath: "self", options: [.caseInsensitive, .numeric])
                ])) == ["A", "a9", "a10", "b"])
        try lab.check()
    }

    @Test func otherOptionsTrap() throws {
        let reason = RealmTesting.catchMisuse {
            _ = SortDescriptor(keyPath: "name", options: .backwards)
        }?.reason
        #expect(reason?.contains("caseInsensitive") == true)
    }

    @Test func textsAreComparedByTheRuleOfTheConfiguration() throws {
        let count: (Realm) -> Int = { realm in
            realm.objects(Named.self).where { $0.name.equals("Жук", options: .caseInsensitive) }
                .count
        }
        do {
            let realm = try filled()
            #expect(count(realm) == 0)
            #expect(realm.objects(Named.self).filter("name ==[c] 'ÉMILE'").count == 1)
        }
        lab.configuration.textComparison = .unicode
        let realm = try lab.open()
        #expect(count(realm) == 2)
        #expect(realm.objects(Named.self).filter("name ==[c] %@", "жУК").count == 2)
        #expect(realm.objects(Named.self).filter("name CONTAINS[cd] 'EMILE'").count == 3)
    }
}

private final class Named: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var words: List<String>
}
