import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// A class in the style before `@Persisted`: its properties are constants that hold values.
final class Relic: Object {
    let number = RealmProperty<Int?>()
    let anything = RealmProperty<AnyRealmValue>()
    let words = List<String>()
    let others = MutableSet<Int>()
    let owned = Map<String, Relic?>()
    let next = List<Relic>()
    let previous = LinkingObjects(fromType: Relic.self, property: "next")
    let unimportant = List<Int>()

    override class func primaryKey() -> String? { "number" }
    override class func ignoredProperties() -> [String] { ["unimportant"] }
}

/// An enum in the style before `PersistableEnum`.
enum Age: Int, RealmEnum { case stone, bronze, iron }

final class Find: Object {
    @available(*, deprecated) let age = RealmOptional<Age>()
}

@Suite struct LegacyTests {
    @available(*, deprecated)
    @Test func enumsAreStoredAsTheirRawValues() throws {
        let lab = try RealmLab([Find.self])
        let realm = try lab.open()
        let find = Find(value: ["age": 1])
        #expect(find.age.value == .bronze)
        try realm.write {
            realm.add(find)
            realm.create(Find.self, value: ["age": Age.stone])
            realm.create(Find.self)
        }
        #expect(find.age.value == .bronze && find["age"] as? Int == 1)
        #expect(realm.objects(Find.self).filter("age == %@", Age.stone).count == 1)
        #expect(realm.objects(Find.self).filter("age == nil").count == 1)
        try realm.write { find.age.value = .iron }
        #expect(realm.objects(Find.self).filter("age == 2").count == 1)
        try realm.write { find["age"] = nil }
        #expect(find.age.value == nil)
        try lab.check()
    }

    @Test func holdersArePersistedProperties() throws {
        let schema = try #require(Relic.sharedSchema())
        #expect(
            schema.properties.map(\.name)
                == ["number", "anything", "words", "others", "owned", "next"])
        #expect(schema.primaryKeyProperty?.name == "number")
        let lab = try RealmLab([Relic.self])
        let realm = try lab.open()
        let first = Relic(value: ["number": 1, "words": ["a", "b"], "others": [3]])
        first.anything.value = .string("x")
        let words = first.words
        try realm.write {
            realm.add(first)
            first.next.append(Relic(value: ["number": 2]))
            first.owned["me"] = first
            words.append("c")
        }
        #expect(Array(words) == ["a", "b", "c"] && words === first.words)
        let found = try #require(realm.object(ofType: Relic.self, forPrimaryKey: 1))
        #expect(found.anything.value == .string("x") && Array(found.others) == [3])
        #expect(found.owned["me"]??.number.value == 1)
        let second = try #require(found.next.first)
        #expect(second.previous.count == 1 && second.number.value == 2)
        #expect(second.words.isEmpty && second.anything.value == .none)
        try lab.check()
    }

    @Test func changesOutsideOfATransactionTrap() throws {
        let lab = try RealmLab([Relic.self])
        let realm = try lab.open()
        let relic = Relic()
        #expect(RealmTesting.catchMisuse { _ = relic.words.count } == nil)
        try realm.write { realm.add(relic) }
        let misuse = RealmTesting.catchMisuse { relic.words.append("a") }
        #expect(misuse?.reason == "Cannot modify managed List outside of a write transaction.")
        #expect(RealmTesting.catchMisuse { _ = relic.words.count } == nil)
        try realm.write {
            #expect(RealmTesting.catchMisuse { relic.words.append("b") } == nil)
            #expect(
                RealmTesting.catchMisuse { realm.beginWrite() }?.reason
                    == "The Realm is already in a write transaction")
        }
        #expect(Array(relic.words) == ["b"])
        #expect(RealmTesting.hasCachedRealm(atPath: lab.configuration.fileURL!.path))
    }

    @Test func realmsLiveAsLongAsTheirPool() throws {
        let lab = try RealmLab([Relic.self])
        let path = lab.configuration.fileURL!.path
        try autoreleasepool {
            try lab.open().beginWrite()
            let realm = try lab.open()
            #expect(realm.isInWriteTransaction)
            realm.add(Relic())
            try realm.commitWrite()
            #expect(try lab.open().objects(Relic.self).count == 1)
        }
        #expect(!RealmTesting.hasCachedRealm(atPath: path))
        try lab.open().beginWrite()
        #expect(RealmTesting.hasCachedRealm(atPath: path))
        try lab.open().cancelWrite()
        #expect(!RealmTesting.hasCachedRealm(atPath: path))
    }

    @Test func allObjectsAreDeleted() throws {
        let lab = try RealmLab([Relic.self])
        let realm = try lab.open()
        try realm.write {
            for i in 0..<300 { realm.add(Relic(value: ["number": i])) }
            let first = realm.object(ofType: Relic.self, forPrimaryKey: 0)!
            first.next.append(objectsIn: realm.objects(Relic.self))
            realm.deleteAll()
            #expect(first.isInvalidated)
        }
        #expect(realm.isEmpty)
        try lab.check()
    }
}
