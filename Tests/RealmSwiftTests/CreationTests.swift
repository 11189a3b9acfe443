import Foundation
import RealmSwift
import Testing

/// One of two classes of the program that have the same class name in files.
final class Passport: Object {
    @Persisted(primaryKey: true) var number: String
    @Persisted var holder: String

    override class func _realmObjectName() -> String? { "passport" }
}

final class PassportFront: Object {
    @Persisted(primaryKey: true) var number: String
    @Persisted var issued: Date?

    override class func _realmObjectName() -> String? { "passport" }
}

/// Objects that are created from untyped values.
@Suite struct CreationTests {
    private func fresh() throws -> (lab: RealmLab, realm: Realm) {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        return (lab, try lab.open())
    }

    @Test func valuesAreConverted() {
        let dog = Dog(value: [
            "id": NSNumber(value: 3), "age": Optional<Int>.none as Any, "mood": "wild",
            "price": "1.5", "weight": 2, "tags": Set(["a"]), "friends": [["id": 4], [5, "Fifi"]],
            "collar": ["red", 1.5], "unknown": 7,
        ])
        #expect(dog.id == 3 && dog.age == nil && dog.mood == .wild && dog.price == 1.5)
        #expect(dog.weight == 2 && Array(dog.tags) == ["a"] && dog.collar?.length == 1.5)
        #expect(dog.friends.map(\.id) == [4, 5] && dog.friends[1].name == "Fifi")
        let things = Things(value: ["any": ["a": [1, NSNull()]], "names": ["x": NSNull()]])
        #expect(things.any.dictionaryValue?["a"]?.listValue.map { Array($0) } == [.int(1), .none])
        #expect(things.names["x"] == .some(nil))
    }

    @Test func onlyGivenPropertiesAreUpdated() throws {
        let (lab, realm) = try fresh()
        try realm.write {
            realm.create(Dog.self, value: ["id": 1, "age": 5, "friends": [["id": 2, "age": 6]]])
            realm.create(
                Dog.self, value: ["id": 1, "name": "Bo", "friends": [["id": 2, "name": "Al"]]],
                update: .modified)
        }
        let dog = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 1))
        #expect(dog.age == 5 && dog.name == "Bo" && realm.objects(Dog.self).count == 2)
        #expect(dog.friends.first?.age == 6 && dog.friends.first?.name == "Al")
        try lab.check()
    }

    @Test func objectsOfOtherRealmsAreCopied() throws {
        let (lab, realm) = try fresh()
        let other = try fresh()
        let original = Dog(value: ["id": 1, "owner": ["name": "Ada"], "collar": ["blue", 1]])
        try other.realm.write { other.realm.add(original) }
        let copy = try realm.write { realm.create(Dog.self, value: original) }
        #expect(copy.owner?.name == "Ada" && copy.owner?.realm == realm)
        #expect(copy.collar?.color == "blue" && original.owner?.realm == other.realm)
        let same = try realm.write { realm.create(Dog.self, value: copy, update: .all) }
        #expect(same === copy)
        try lab.check()
    }

    @Test func twoClassesMayUseOneTable() throws {
        let lab = try RealmLab([Passport.self, PassportFront.self])
        let realm = try lab.open()
        try realm.write { realm.add(Passport(value: ["X1", "Ada"])) }
        let front = try #require(realm.objects(PassportFront.self).first)
        #expect(front.number == "X1" && front.issued == nil)
        #expect(front.description.hasPrefix("PassportFront {"))
        try lab.check()
    }
}
