import Foundation
import RealmSwift
import Testing

/// Stores and reads objects through the API.
@Suite struct RealmTests {
    static let types: [ObjectBase.Type] = [Dog.self, Owner.self, Collar.self]

    @Test func storedValuesAreReadBack() throws {
        let lab = try RealmLab(Self.types)
        let born = Date(timeIntervalSince1970: 1_500_000_000.25)
        let chip = UUID()
        let dog = Dog()
        #expect(dog.name == "Rex" && dog.age == nil && dog.mood == .calm && dog.realm == nil)
        dog.id = 7
        dog.name = "Fido"
        dog.age = 3
        dog.weight = 12.5
        dog.born = born
        dog.photo = Data([1, 2, 3])
        dog.mood = .wild
        dog.tags.append(objectsIn: ["good", "boy"])
        dog.chip = chip
        dog.price = "12.50"
        let owner = Owner()
        owner.name = "Ada"
        dog.owner = owner
        let collar = Collar()
        collar.color = "red"
        dog.collar = collar
        let friend = Dog()
        friend.id = 8
        friend.friends.append(dog)
        dog.friends.append(friend)
        let realm = try lab.open()
        try realm.write { realm.add(dog) }
        #expect(dog.realm == realm && owner.realm == realm && friend.realm == realm)
        let found = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 7))
        #expect(found == dog && found !== dog && found.hash == dog.hash)
        #expect(found.name == "Fido" && found.age == 3 && found.weight == 12.5)
        #expect(found.born == born && found.photo == Data([1, 2, 3]) && found.mood == .wild)
        #expect(Array(found.tags) == ["good", "boy"] && found.chip == chip)
        #expect(found.price == Decimal128(floatLiteral: 12.5))
        #expect(found.owner?.name == "Ada" && found.collar?.color == "red")
        #expect(found.friends[0].id == 8 && found.friends[0].friends.first?.id == 7)
        #expect(found.owner!.dogs.count == 1 && found.owner!.dogs[0] == dog)
        // Adding the unmanaged object to the realm made its list managed, so this changes the
        // realm.
        let friends = friend.friends
        try realm.write { friends.removeAll() }
        #expect(friend.friends.isEmpty)
        try lab.check()
    }
}
