import Foundation
import RealmSwift
import Testing

final class AnySet: Object {
    @Persisted var values: MutableSet<AnyRealmValue>
}

/// Dynamic objects as values of properties.
@Suite struct DynamicValueTests {
    private static let types =
        RealmTests.types + [Things.self, Litter.self, Pup.self] as [ObjectBase.Type]

    private let lab: RealmLab
    private let realm: Realm
    private let dog: DynamicObject
    private let owner: DynamicObject

    init() throws {
        lab = try RealmLab(Self.types)
        let realm = try lab.open()
        self.realm = realm
        (dog, owner) = try realm.write {
            (
                realm.dynamicCreate("Dog", value: ["id": 1]),
                realm.dynamicCreate("Owner", value: ["name": "Ada"])
            )
        }
    }

    @Test func createdObjectsLinkToDynamicObjects() throws {
        let made = try realm.write {
            realm.create(
                Dog.self,
                value: ["id": 2, "owner": owner, "friends": realm.dynamicObjects("Dog")])
        }
        #expect(made.owner?.name == "Ada" && made.friends.map(\.id) == [1])
        let things = try realm.write {
            realm.create(
                Things.self,
                value: [
                    "any": dog, "anything": [dog, owner], "dogs": ["a": dog], "set": [dog],
                ] as [String: Any])
        }
        #expect(things.any.object(Dog.self)?.id == 1 && things.anything.count == 2)
        #expect(things.dogs["a"]??.id == 1 && things.set[0].id == 1)
        #expect(realm.objects(Dog.self).count == 2 && realm.objects(Owner.self).count == 1)
        try lab.check()
    }

    @Test func updatedObjectsLinkToDynamicObjects() throws {
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let made = try realm.write {
                realm.create(
                    Dog.self, value: ["id": 2, "owner": owner, "friends": [dog, dog]],
                    update: policy)
            }
            #expect(made.owner?.name == "Ada" && made.friends.map(\.id) == [1, 1])
            let same = try realm.write { realm.create(Dog.self, value: dog, update: policy) }
            #expect(same.id == 1)
        }
        #expect(realm.objects(Dog.self).count == 2 && realm.objects(Owner.self).count == 1)
        try lab.check()
    }

    @Test func dynamicObjectsAreCopiedWithTheirLinks() throws {
        let pups = try realm.write {
            let values: [String: Any] = ["pups": [["name": "a"], ["name": "b"]]]
            let litter = realm.dynamicCreate("Litter", value: values)
            litter["byName"] = ["x": litter.dynamicList("pups")[0]]
            realm.dynamicCreate("Litter", value: litter)
            return realm.objects(Litter.self).map { Array($0.pups.map(\.name)) }
        }
        #expect(Array(pups) == [["a", "b"], ["a", "b"]] && realm.objects(Pup.self).count == 2)
        #expect(realm.objects(Litter.self)[1].byName["x"]??.name == "a")
        try lab.check()
    }

    @Test func propertiesAreSetToDynamicObjects() throws {
        let made = try realm.write {
            let made = realm.create(Dog.self, value: ["id": 2])
            made.setValue(owner, forKey: "owner")
            made.setValue([dog], forKey: "friends")
            return made
        }
        #expect(made.owner?.name == "Ada" && made.friends.first?.id == 1)
        try lab.check()
    }

    @Test func objectsInMixedValuesOfAnotherRealmAreCopied() throws {
        let other = try RealmLab(Self.types)
        let target = try other.open()
        let things = try realm.write {
            realm.create(
                Things.self, value: ["any": dog, "anything": [[owner], owner]] as [String: Any])
        }
        let copy = try target.write { target.create(Things.self, value: things) }
        #expect(copy.any.object(Dog.self)?.realm == target)
        #expect(copy.anything[1].object(Owner.self)?.name == "Ada")
        #expect(target.objects(Dog.self).count == 1)
        try other.check()
    }

    @Test func embeddedDynamicObjectsAreCreatedFromValues() throws {
        let (things, litter) = try realm.write {
            dog["collar"] = ["color": "red", "length": 2] as [String: Any]
            let (things, litter) = (realm.dynamicCreate("Things"), realm.dynamicCreate("Litter"))
            things["collars"] = [["blue", 1] as [Any], Collar(value: ["green", 3])]
            litter["spares"] = ["a": ["red", 1] as [Any], "b": NSNull()] as [String: Any]
            litter["collar"] = Collar(value: ["black", 4])
            litter["collar"] = litter["collar"]
            return (things, litter)
        }
        #expect(realm.objects(Dog.self)[0].collar?.length == 2)
        #expect(things.dynamicList("collars").map { $0["color"] as? String } == ["blue", "green"])
        let stored = realm.objects(Litter.self)[0]
        #expect(stored.spares["a"]??.color == "red" && stored.spares["b"] == .some(nil))
        #expect(stored.collar?.color == "black" && !litter.isInvalidated)
        try lab.check()
    }

    @Test func dynamicCollectionsAreSetToCollections() throws {
        let (one, two) = try realm.write {
            let values: [String: Any] = ["numbers": [1, 2], "names": ["a": "x", "b": NSNull()]]
            let one = realm.dynamicCreate("Things", value: values)
            let two = realm.dynamicCreate("Things")
            for name in ["numbers", "names"] {
                two[name] = one[name]
                one[name] = one[name]
            }
            return (one, two)
        }
        let stored = Array(realm.objects(Things.self))
        for things in stored {
            #expect(Set(things.numbers) == [1, 2] && Set(things.names.keys) == ["a", "b"])
            #expect(things.names["b"] == .some(nil))
        }
        #expect(stored.count == 2 && !one.isInvalidated && !two.isInvalidated)
        try lab.check()
    }

    @Test func setsContainThem() throws {
        let things = try realm.write { realm.dynamicCreate("Things", value: ["set": [dog]]) }
        let set = things.dynamicMutableSet("set")
        #expect(set.contains(dog) && set.contains(realm.dynamicObjects("Dog")[0]))
        let other = try realm.write { realm.dynamicCreate("Dog", value: ["id": 2]) }
        #expect(!set.contains(other) && realm.objects(Things.self)[0].set.count == 1)
        let elsewhere = try RealmLab(Self.types)
        let target = try elsewhere.open()
        let stranger = try target.write { target.dynamicCreate("Dog", value: ["id": 1]) }
        #expect(!set.contains(stranger))
        try lab.check()
    }

    @Test func setsOfAnyValuesDoNotContainUnmanagedObjects() throws {
        let lab = try RealmLab(RealmTests.types + [AnySet.self])
        let realm = try lab.open()
        let (one, dog) = (AnySet(), Dog(value: ["id": 1]))
        try realm.write {
            realm.add(one)
            one.values.insert(.object(dog))
            #expect(one.values.contains(.object(dog)))
            #expect(!one.values.contains(.object(Dog(value: ["id": 2]))))
        }
        #expect(one.values.contains(.object(dog)) && !one.values.contains(.object(Dog())))
        #expect(realm.objects(Dog.self).count == 1)
        try lab.check()
    }

    @Test func migrationsCreateObjectsFromDynamicObjects() throws {
        let lab = try RealmLab(Self.types)
        try autoreleasepool {
            let realm = try lab.open()
            try realm.write {
                let values: [String: Any] = ["pups": [["name": "a"]], "byName": ["x": ["b"]]]
                realm.create(Litter.self, value: values)
            }
        }
        lab.configuration.schemaVersion = 1
        lab.configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Litter") { old, new in
                let pup = migration.create("Pup", value: ["c"])
                migration.create(
                    "Litter",
                    value: [
                        "pups": [pup, new!.dynamicList("pups")[0]], "best": [pup],
                        "byName": ["y": pup], "others": ["z": new!],
                    ] as [String: Any])
                migration.create("Litter", value: old!)
                migration.create("Things", value: ["any": pup, "anything": [pup]])
            }
        }
        let realm = try lab.open()
        let litters = realm.objects(Litter.self)
        #expect(litters.count == 3 && litters[1].pups.map(\.name) == ["c", "a"])
        #expect(litters[1].best[0].name == "c" && litters[1].byName["y"]??.name == "c")
        #expect(litters[1].others["z"]!!.isSameObject(as: litters[0]))
        // Links of the old objects lead to objects before the migration. Assigning such a link to a
        // new object copies the linked object.
        #expect(litters[2].pups[0].name == "a" && realm.objects(Pup.self).count == 5)
        #expect(realm.objects(Things.self)[0].any.object(Pup.self)?.name == "c")
        try lab.check()
    }
}
