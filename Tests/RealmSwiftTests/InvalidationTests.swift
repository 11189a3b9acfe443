import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Objects and collections of a version that `invalidate` released.
@Suite struct InvalidationTests {
    @Test func objectsOfAReleasedVersionAreInvalidated() throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1, "tags": ["a"]])
        try realm.write { realm.add(dog) }
        let (tags, all) = (dog.tags, realm.objects(Dog.self))
        realm.invalidate()
        #expect(dog.isInvalidated && tags.isInvalidated)
        let reasons = [
            RealmTesting.catchMisuse { _ = dog.name },
            RealmTesting.catchMisuse { dog.name = "Al" },
            RealmTesting.catchMisuse { _ = dog.tags },
            RealmTesting.catchMisuse { _ = tags.count },
        ].map { $0?.reason ?? "" }
        #expect(reasons.allSatisfy { $0.contains("deleted or invalidated") })
        // Results remain usable: they are evaluated again in the new version, and return valid
        // objects.
        #expect(all.count == 1 && all[0].name == "Rex" && dog.isInvalidated)
        try realm.write { all[0].name = "Bo" }
        #expect(all.first?.name == "Bo" && dog.isInvalidated)
        try lab.check()
    }

    @Test func dynamicObjectsAndTheirCollectionsBecomeInvalid() throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        try realm.write { realm.add(Dog(value: ["id": 1, "tags": ["a"], "friends": [["id": 2]]])) }
        let dog = realm.dynamicObjects("Dog")[0]
        let tags = try #require(dog["tags"] as? List<String>)
        let friends = dog.dynamicList("friends")
        #expect(!dog.isInvalidated && !tags.isInvalidated && !friends.isInvalidated)
        realm.invalidate()
        #expect(dog.isInvalidated && tags.isInvalidated && friends.isInvalidated)
        let reasons = [
            RealmTesting.catchMisuse { _ = dog["name"] },
            RealmTesting.catchMisuse { dog["name"] = "Al" },
            RealmTesting.catchMisuse { _ = dog.dynamicList("friends") },
            RealmTesting.catchMisuse { _ = tags.count },
            RealmTesting.catchMisuse { _ = friends.first },
        ].map { $0?.reason ?? "" }
        #expect(reasons.allSatisfy { $0.contains("deleted or invalidated") })
        let again = realm.dynamicObjects("Dog")[0]
        #expect(!again.isInvalidated && again["name"] as? String == "Rex")
        #expect(dog.isInvalidated && again.dynamicList("friends").count == 1)
        try lab.check()
    }

    @Test func collectionsThatWereHandedOverBecomeInvalid() throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1, "tags": ["a"]])
        try realm.write { realm.add(dog) }
        let tags = try #require(realm.resolve(ThreadSafeReference(to: dog.tags)))
        let thawed = try #require(dog.tags.freeze().thaw())
        #expect(tags.count == 1 && thawed.count == 1)
        realm.invalidate()
        #expect(tags.isInvalidated && thawed.isInvalidated)
        #expect(RealmTesting.catchMisuse { _ = tags.count } != nil)
        try lab.check()
    }

    @Test func frozenRealmsAreNotInvalidated() throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        try realm.write { realm.add(Dog(value: ["id": 1, "tags": ["a"]])) }
        // Both are the same frozen version, which any thread may be reading.
        let (frozen, other) = (realm.freeze(), realm.objects(Dog.self)[0].freeze())
        let tags = other.tags
        frozen.invalidate()
        #expect(!other.isInvalidated && !tags.isInvalidated && Array(tags) == ["a"])
        #expect(frozen.objects(Dog.self).count == 1 && other.realm == frozen)
        #expect(realm.freeze() == frozen)
        try lab.check()
    }

    @Test func releasingATokenReleasesItsObserver() throws {
        let lab = try RealmLab(RealmTests.types)
        let path = lab.configuration.fileURL!.path
        let queue = DispatchQueue(label: "realm")
        try queue.sync {
            let realm = try Realm(configuration: lab.configuration, queue: queue)
            let dog = Dog()
            try realm.write { realm.add(dog) }
            let token = dog.observe { (_: ObjectChange<Dog>) in _ = dog.name }
            token.invalidate()
        }
        #expect(!RealmTesting.hasCachedRealm(atPath: path))
    }
}
