import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Values of objects and collections along key paths, as in key-value coding.
@Suite struct KeyValueTests {
    private struct Kennel {
        let lab: RealmLab
        let realm: Realm
        let owner: Owner
        let dog: Dog
    }

    /// An owner of three dogs, two of which are friends of the first.
    private func kennel() throws -> Kennel {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let dog = try realm.write {
            let owner = realm.create(Owner.self, value: ["name": "Ada"])
            let dogs = (1...3).map { id in
                realm.create(
                    Dog.self,
                    value: [
                        "id": id, "name": "dog \(id)", "age": id * 2, "owner": owner,
                        "tags": ["t\(id)"], "collar": ["color": "red"],
                    ])
            }
            dogs[0].friends.append(objectsIn: dogs[1...])
            dogs[1].friends.append(dogs[2])
            return dogs[0]
        }
        return Kennel(lab: lab, realm: realm, owner: dog.owner!, dog: dog)
    }

    @Test func keyPathsFollowListsAndLinkingObjects() throws {
        let kennel = try kennel()
        let (owner, dog) = (kennel.owner, kennel.dog)
        #expect(owner.value(forKeyPath: "dogs.name") as? [String] == ["dog 1", "dog 2", "dog 3"])
        #expect(dog.value(forKeyPath: "friends.age") as? [Int] == [4, 6])
        #expect(
            dog.value(forKeyPath: "owner.dogs.name") as? [String] == ["dog 1", "dog 2", "dog 3"])
        #expect(dog.value(forKeyPath: "friends.owner.name") as? [String] == ["Ada", "Ada"])
        #expect(dog.value(forKeyPath: "collar.color") as? String == "red")
        let nested = dog.value(forKeyPath: "friends.friends.name") as? [Any]
        #expect(nested?.first as? [String] == ["dog 3"] && nested?.last as? [String] == [])
        let all = kennel.realm.objects(Dog.self).sorted(byKeyPath: "id")
        #expect(all.value(forKeyPath: "owner.name") as? [String] == ["Ada", "Ada", "Ada"])
    }

    @Test func operatorsAggregateCollections() throws {
        let kennel = try kennel()
        let (owner, dog) = (kennel.owner, kennel.dog)
        #expect(owner.value(forKeyPath: "dogs.@count") as? Int == 3)
        #expect(owner.value(forKeyPath: "dogs.@max.age") as? Int == 6)
        #expect(owner.value(forKeyPath: "dogs.@min.age") as? Int == 2)
        #expect(owner.value(forKeyPath: "dogs.@sum.age") as? Int == 12)
        #expect(owner.value(forKeyPath: "dogs.@avg.age") as? Double == 4)
        #expect(dog.value(forKeyPath: "owner.dogs.@max.age") as? Int == 6)
        #expect(dog.value(forKeyPath: "tags.@count") as? Int == 1)
        #expect(
            owner.value(forKeyPath: "dogs.@unionOfObjects.name") as? [String]
                == ["dog 1", "dog 2", "dog 3"])
        #expect(
            owner.value(forKeyPath: "dogs.@distinctUnionOfObjects.owner.name") as? [String]
                == ["Ada"])
        #expect(
            owner.value(forKeyPath: "dogs.@unionOfArrays.friends.name") as? [String]
                == ["dog 2", "dog 3", "dog 3"])
        // After two collections (`dogs.friends`), an operator is applied to the array with one
        // element for each dog.
        #expect(owner.value(forKeyPath: "dogs.friends.@count") as? Int == 3)
        #expect(owner.value(forKeyPath: "dogs.owner.@count") as? Int == 3)
        #expect(
            owner.value(forKeyPath: "dogs.owner.@distinctUnionOfObjects.name") as? [String] == [
                "Ada"
            ])
        #expect(owner.value(forKeyPath: "dogs.collar.@max.length") as? Float == 0)
    }

    @Test func keyPathsFollowSetsMapsAndMixed() throws {
        let kennel = try kennel()
        let dog = kennel.dog
        let things = try kennel.realm.write {
            let things = kennel.realm.create(Things.self)
            things.dogs["a"] = dog
            things.dogs["none"] = .some(nil)
            things.set.insert(dog)
            things.any = .object(dog)
            return things
        }
        #expect(things.value(forKeyPath: "dogs.a.name") as? String == "dog 1")
        #expect(things.value(forKeyPath: "dogs.a.friends.name") as? [String] == ["dog 2", "dog 3"])
        #expect(things.value(forKeyPath: "dogs.none.name") == nil)
        #expect(things.value(forKeyPath: "dogs.missing.name") == nil)
        #expect(things.value(forKeyPath: "dogs.@count") as? Int == 2)
        #expect(things.value(forKeyPath: "dogs.@max.age") as? Int == 2)
        #expect(things.value(forKeyPath: "set.name") as? Set<String> == ["dog 1"])
        #expect(things.value(forKeyPath: "set.owner.name") as? [String] == ["Ada"])
        #expect(things.value(forKeyPath: "any.owner.name") as? String == "Ada")
    }

    @Test func unmanagedAndFrozenObjectsHaveValues() throws {
        let dog = Dog(value: ["name": "Rex", "friends": [["id": 2, "name": "Bo", "age": 3]]])
        #expect(dog.value(forKeyPath: "friends.name") as? [String] == ["Bo"])
        #expect(dog.value(forKeyPath: "friends.@max.age") as? Int == 3)
        #expect(dog.value(forKeyPath: "owner.name") == nil)
        let kennel = try kennel()
        let names = kennel.dog.freeze().value(forKeyPath: "friends.name")
        #expect(names as? [String] == ["dog 2", "dog 3"])
    }

    @Test func keyPathsSetValues() throws {
        let kennel = try kennel()
        let dog = kennel.dog
        try kennel.realm.write {
            dog.setValue("Eve", forKeyPath: "owner.name")
            dog.setValue(9, forKeyPath: "friends.age")
            dog.setValue("blue", forKeyPath: "friends.collar.color")
            dog.owner = nil
            dog.setValue("no", forKeyPath: "owner.name")
        }
        #expect(kennel.owner.name == "Eve")
        #expect(dog.value(forKeyPath: "friends.age") as? [Int] == [9, 9])
        #expect(dog.value(forKeyPath: "friends.collar.color") as? [String] == ["blue", "blue"])
        #expect(dog.age == 2 && dog.collar?.color == "red")
    }

    @Test func invalidKeyPathsTrapWithThePath() throws {
        let kennel = try kennel()
        let dog = kennel.dog
        func reason(_ path: String) -> String {
            RealmTesting.catchMisuse { _ = dog.value(forKeyPath: path) }?.reason ?? "no trap"
        }
        #expect(
            reason("owner.name.length")
                == "Key path 'owner.name.length' cannot be followed: 'length' is not a property of 'String'."
        )
        #expect(reason("owner.nome").contains("'nome' not found in object of type 'Owner'"))
        #expect(reason("owner.nome").contains("'owner.nome'"))
        #expect(reason("friends.nome.x").contains("'friends.nome.x'"))
        #expect(reason("tags.length.x").contains("'tags.length.x'"))
        #expect(reason("friends.name.length").contains("'friends.name.length'"))
        #expect(reason("name.@count").contains("'name.@count'"))
        #expect(reason("friends.@middle.age").contains("'friends.@middle.age'"))
        #expect(reason("friends.@max.nome").contains("nome"))
        let setting = RealmTesting.catchMisuse {
            try! kennel.realm.write { dog.setValue(1, forKeyPath: "name.length") }
        }
        #expect(setting?.reason.contains("'name.length'") == true)
    }
}
