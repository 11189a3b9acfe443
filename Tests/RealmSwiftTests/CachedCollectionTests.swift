import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// An accessor returns the same collection object at each read.
@Suite struct CachedCollectionTests {
    @Test func anAccessorReturnsTheSameCollectionObject() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let dog = Dog()
        let tags = dog.tags
        #expect(tags === dog.tags)
        try realm.write { realm.add(dog) }
        #expect(tags === dog.tags && tags.realm != nil)
        let found = try #require(realm.objects(Dog.self).first)
        #expect(found.tags === found.tags && found.tags !== tags && found.tags == tags)
        #expect(found["tags"] as? List<String> === found.tags)
        let things = try realm.write { realm.create(Things.self) }
        #expect(things.numbers === things.numbers && things.names === things.names)
    }

    /// A list of another object remains in that object.
    @Test func assigningAListCopiesItsElements() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let one = Dog(value: ["id": 1, "tags": ["a", "b"]])
        try realm.write { realm.add(one) }
        let two = Dog(value: ["id": 2])
        two.tags = one.tags
        try realm.write { realm.add(two) }
        try realm.write { two.tags.append("c") }
        #expect(Array(one.tags) == ["a", "b"] && Array(two.tags) == ["a", "b", "c"])
        #expect(one.tags !== two.tags)
        try lab.check()
    }

    /// A frozen copy made inside a write transaction has the version before the transaction.
    @Test func freezingInATransactionShowsItsFirstVersion() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1, "tags": ["a"]])
        try realm.write { realm.add(dog) }
        try realm.write {
            dog.name = "Bo"
            dog.tags.append("b")
            #expect(dog.freeze().name == "Rex" && dog.tags.freeze().count == 1)
            let fresh = realm.create(Dog.self, value: ["id": 2])
            #expect(
                RealmTesting.catchMisuse { _ = fresh.freeze() }?.reason
                    == "Cannot freeze an object in the same write transaction as it was created in."
            )
            #expect(RealmTesting.catchMisuse { _ = fresh.tags.freeze() } != nil)
            #expect(
                RealmTesting.catchMisuse { _ = fresh.tags.sorted(ascending: true).freeze() } != nil)
        }
        #expect(dog.freeze().name == "Bo")
    }

    /// A link of a `DynamicObject` is read as an object of the class that the program declares.
    @Test func linksOfDynamicObjectsHaveTheProgramsClass() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1, "owner": ["name": "Ada"]])
        try realm.write { realm.add(dog) }
        let dynamic = realm.dynamicObjects("Dog")[0]
        #expect((dynamic["owner"] as? Owner)?.name == "Ada")
        #expect(dynamic.isSameObject(as: dog) && dog.isSameObject(as: dynamic))
        #expect(dynamic.freeze().isFrozen && dynamic.freeze()["name"] as? String == "Rex")
        // Objects created for a link are stored after the object that has the link.
        let made = try realm.write {
            realm.create(Dog.self, value: ["id": 2, "friends": [["id": 3]]])
        }
        #expect(realm.objects(Dog.self).map(\.id) == [1, 2, 3] && made.friends[0].id == 3)
    }

    @Test func nestedCollectionsInDictionariesAreRead() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let things = Things()
        things.any = .fromDictionary(["a": .fromArray([.int(1)])])
        try realm.write { realm.add(things) }
        let outer = things.any.dictionaryValue?.asKeyValueSequence()
        #expect(outer?.map { $0.value.listValue?.count } == [1])
    }

    @Test func decimalTextsAreNormalised() throws {
        let texts = [
            "1.234567890E+132": "1.23456789E132", "123e4": "1.23E6", "11.111110": "11.11111",
            "-1.0": "-1", "0.05": "5E-2", "300": "300", "5E3": "5E3", "0": "0",
        ]
        for (text, expected) in texts {
            #expect(try Decimal128(string: text).stringValue == expected)
        }
        #expect((Decimal128("3.5") - Decimal128("2.5")).description == "1")
        #expect(Decimal128(value: NSNull()).isSignaling)
    }

    @Test func integersOfMoreThan34DigitsAreNotExactDecimals() throws {
        let limit: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000
        for exact in [0, 7, limit - 1, limit, limit + 10, limit * 1000] {
            let number = try Decimal128(string: "\(exact)")
            #expect(Decimal128(exactly: exact) == number)
            #expect(Decimal128(exactly: -Int128(exact)) == 0 - number)
        }
        for inexact in [limit + 1, limit * 10 + 10, limit * 1000 + 1] {
            #expect(Decimal128(exactly: inexact) == nil)
            #expect(Decimal128(exactly: -Int128(inexact)) == nil)
        }
        #expect(Decimal128(exactly: UInt128.max) == nil)
        #expect(Decimal128(exactly: Int.min) == Decimal128(value: Int.min))
    }

    @Test func valuesOfAWrongTypeTrap() {
        #expect(RealmTesting.catchMisuse { _ = Dog(value: ["weight": true]) } != nil)
        #expect(RealmTesting.catchMisuse { _ = Dog(value: ["name": false]) } != nil)
        // A value that an enum has no case for is null in an optional property and traps in any
        // other.
        #expect(RealmTesting.catchMisuse { _ = Dog(value: ["mood": "merry"]) } != nil)
        #expect(RealmTesting.catchMisuse { _ = Dog(value: ["owner": Dog()]) } != nil)
        #expect(RealmTesting.catchMisuse { _ = Dog(value: ["age": "seven"]) } != nil)
        let dog = Dog(value: ["mood": Mood.wild, "tags": ["a"]])
        dog.setValue(nil, forKey: "tags")
        dog.setValue([["id": 4, "name": "Al"]], forKey: "friends")
        #expect(dog.tags.isEmpty && dog.friends[0].name == "Al" && dog.mood == .wild)
    }
}
