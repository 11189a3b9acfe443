import Foundation
import RealmSwift
import Testing

/// Unmanaged copies of objects, together with the objects that they link to.
@Suite struct DetachedTests {
    @Test func copiesHaveAllValues() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let chip = UUID()
        let dog = Dog(
            value: [
                "id": 1, "name": "Bo", "age": 3, "weight": 4.5,
                "born": Date(timeIntervalSince1970: 5),
                "photo": Data([1, 2]), "mood": Mood.wild, "tags": ["a", "b"], "chip": chip,
                "collar": ["color": "red", "length": Float(2.5)], "price": Decimal128(number: 7),
            ])
        try realm.write { realm.add(dog) }
        let copy = dog.detached()
        #expect(copy.realm == nil && copy.collar?.realm == nil && copy.tags.realm == nil)
        #expect(copy.id == 1 && copy.name == "Bo" && copy.age == 3 && copy.weight == 4.5)
        #expect(copy.born == Date(timeIntervalSince1970: 5) && copy.photo == Data([1, 2]))
        #expect(copy.mood == .wild && Array(copy.tags) == ["a", "b"] && copy.chip == chip)
        #expect(copy.collar?.color == "red" && copy.collar?.length == 2.5 && copy.price == 7)
        try realm.write { realm.delete(dog) }
        try realm.write { realm.add(copy) }
        #expect(realm.objects(Dog.self).first?.collar?.color == "red")
        try lab.check()
    }

    @Test func cyclesStayCycles() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let (a, b) = (Dog(value: ["id": 1]), Dog(value: ["id": 2]))
        a.friends.append(objectsIn: [b, b, a])
        b.friends.append(a)
        try realm.write { realm.add(a) }
        for original in [a, a.freeze()] {
            let copy = original.detached()
            #expect(copy.friends.map(\.id) == [2, 2, 1])
            #expect(copy.friends[0] === copy.friends[1] && copy.friends[2] === copy)
            #expect(copy.friends[0].friends[0] === copy)
        }
        let all: [Dog] = realm.objects(Dog.self).detached()
        #expect(all.count == 2 && all[1].friends[0] === all[0])
        try lab.check()
    }

    @Test func linksBeyondTheDepthAreLeftOut() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let dogs = (0..<4).map { Dog(value: ["id": $0, "owner": ["name": "\($0)"]]) }
        for i in 0..<3 { dogs[i].friends.append(dogs[i + 1]) }
        // Dog 2 is now linked by dog 0 and by dog 1: the shortest path to it has one link.
        dogs[0].friends.append(dogs[2])
        try realm.write { realm.add(dogs[0]) }
        let flat = dogs[0].detached(depth: 0)
        #expect(flat.friends.isEmpty && flat.owner == nil)
        let near = dogs[0].detached(depth: 1)
        #expect(near.owner?.name == "0" && near.friends.map(\.id) == [1, 2])
        #expect(near.friends[0].friends.first === near.friends[1])
        #expect(near.friends[1].friends.isEmpty && near.friends[0].owner == nil)
        try lab.check()
    }

    @Test func collectionsAndMixedValuesAreCopied() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1])
        let things = Things()
        things.any = .fromDictionary([
            "list": .fromArray([.int(1), .none, .object(dog)]), "text": .string("x"),
            "float": .float(1.5), "truth": .bool(true),
        ])
        things.anything.append(objectsIn: [.object(dog), .double(2), .none])
        things.numbers.insert(objectsIn: [1, 2])
        things.names["a"] = "b"
        things.names["c"] = .some(nil)
        things.dogs["rex"] = dog
        things.dogs["none"] = .some(nil)
        things.set.insert(dog)
        things.collars.append(Collar(value: ["color": "red"]))
        try realm.write { realm.add(things) }
        let copy = things.detached()
        let copiedDog = try #require(copy.dogs["rex"] ?? nil)
        #expect(copiedDog.realm == nil && copiedDog.id == 1)
        let entries = try #require(copy.any.dictionaryValue)
        #expect(entries.realm == nil && entries["text"] == .string("x"))
        #expect(entries["float"] == .float(1.5) && entries["truth"] == .bool(true))
        let list = try #require(entries["list"]?.listValue)
        #expect(list[0] == .int(1) && list[1] == .none && list[2].object(Dog.self) === copiedDog)
        #expect(copy.anything[0].object(Dog.self) === copiedDog)
        #expect(copy.anything[1] == .double(2) && copy.anything[2] == .none)
        #expect(Set(copy.numbers) == [1, 2] && copy.names.count == 2)
        #expect(copy.names["a"] == "b" && copy.names["c"] == .some(nil))
        #expect(copy.dogs.count == 2 && copy.dogs["none"] == .some(nil))
        #expect(copy.set.first === copiedDog && copy.collars[0].color == "red")
        // An unmanaged object is copied by the same rules.
        let again = copy.detached(depth: 0)
        #expect(again !== copy && again.dogs["rex"] == .some(nil) && again.set.isEmpty)
        #expect(again.collars[0] !== copy.collars[0] && again.numbers.count == 2)
        try lab.check()
    }
}
