import Foundation
import RealmSwift
import Testing

/// A class whose objects may occur several times in one list.
final class Pup: Object {
    @Persisted var name: String
    @Persisted(originProperty: "pups") var litters: LinkingObjects<Litter>
}

final class Litter: Object {
    @Persisted var pups: List<Pup>
    @Persisted var words: List<String>
    @Persisted var best: MutableSet<Pup>
    @Persisted var byName: Map<String, Pup?>
    @Persisted var others: Map<String, Litter?>
    @Persisted var collars: List<Collar>
    @Persisted var collar: Collar?
    @Persisted var spares: Map<String, Collar?>
}

/// `Realm.delete` with collections whose objects occur several times or are already deleted.
@Suite struct DeletionTests {
    static let types: [ObjectBase.Type] = [Pup.self, Litter.self, Collar.self]

    private let lab: RealmLab
    private let realm: Realm
    private let litter: Litter

    init() throws {
        lab = try RealmLab(Self.types)
        let realm = try lab.open()
        self.realm = realm
        litter = try realm.write {
            let pup: [String: Any] = ["name": "Rex"]
            let litter = realm.create(Litter.self, value: ["pups": [pup, pup]])
            litter.pups.append(litter.pups[0])
            litter.best.insert(litter.pups[0])
            litter.byName["a"] = litter.pups[0]
            litter.byName["b"] = litter.pups[0]
            litter.byName["c"] = .some(nil)
            return litter
        }
    }

    private var pups: Results<Pup> { realm.objects(Pup.self) }

    @Test func anObjectTwiceInAListIsDeletedOnce() throws {
        try realm.write { realm.delete(litter.pups) }
        #expect(pups.isEmpty && litter.pups.isEmpty && litter.best.isEmpty)
        #expect(litter.byName.count == 3 && litter.byName["a"] == .some(nil))
        try lab.check()
    }

    @Test func anObjectThatLinksTwiceIsDeletedOnce() throws {
        let pup = litter.pups[0]
        #expect(pup.litters.count == 2)
        try realm.write { realm.delete(pup.litters) }
        #expect(litter.isInvalidated && pup.litters.isEmpty && pups.count == 2)
        try lab.check()
    }

    @Test func objectsOfSetsAndResultsAreDeleted() throws {
        try realm.write { realm.delete(litter.best) }
        #expect(litter.best.isEmpty && pups.count == 1)
        try realm.write { realm.delete(AnyRealmCollection(litter.pups)) }
        #expect(litter.pups.isEmpty && pups.isEmpty)
        try realm.write { realm.delete(realm.objects(Litter.self)) }
        #expect(realm.isEmpty)
        try lab.check()
    }

    @Test func deletingAMapDeletesItsObjectsAndItsEntries() throws {
        try realm.write { realm.delete(litter.byName) }
        #expect(litter.byName.count == 0 && pups.count == 1 && litter.pups.count == 1)
        // The owner of the map is among its values.
        try realm.write {
            litter.others["me"] = litter
            realm.delete(litter.others)
        }
        #expect(litter.isInvalidated && realm.objects(Litter.self).isEmpty)
        try lab.check()
    }

    @Test func deletingAMapOfEmbeddedObjectsEmptiesIt() throws {
        try realm.write {
            litter.spares["a"] = Collar(value: ["red", 1])
            litter.spares["b"] = .some(nil)
            realm.delete(litter.spares)
        }
        #expect(litter.spares.count == 0)
        try lab.check()
    }

    @Test func deletingDeletedObjectsDoesNothing() throws {
        let (first, second) = (pups[0], pups[0])
        try realm.write {
            realm.delete(first)
            realm.delete(first)
            realm.delete(second)
            realm.delete([first, second, first])
        }
        #expect(first.isInvalidated && second.isInvalidated && pups.count == 1)
        try lab.check()
    }

    @Test func embeddedObjectsDeletedWithTheirOwnerAreSkipped() throws {
        try realm.write {
            litter.collar = Collar(value: ["red", 1])
            litter.collars.append(Collar(value: ["blue", 2]))
            let collars = [litter.collar!, litter.collars[0]]
            realm.delete(litter)
            realm.delete(collars)
            for collar in collars { #expect(collar.isInvalidated) }
        }
        let objects: [ObjectBase] = try realm.write {
            let litter = realm.create(Litter.self, value: ["collar": ["red", 1]])
            let objects: [ObjectBase] = [litter.collar!, litter, litter.collar!]
            realm.delete(objects)
            return objects
        }
        for object in objects { #expect(object.isInvalidated) }
        try lab.check()
    }

    @Test func dynamicObjectsAreDeleted() throws {
        try realm.write {
            realm.delete(realm.dynamicObjects("Pup"))
            let dynamic = try #require(realm.dynamicObjects("Litter").first)
            realm.delete(litter)
            realm.delete(dynamic)
        }
        #expect(realm.isEmpty)
        try lab.check()
    }

    @Test func migrationsDeleteAnObjectOnce() throws {
        let other = try RealmLab(Self.types)
        try autoreleasepool {
            let realm = try other.open()
            try realm.write { realm.create(Pup.self, value: ["name": "Rex"]) }
        }
        other.configuration.schemaVersion = 1
        other.configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Pup") { _, pup in
                migration.delete(pup!)
                migration.delete(pup!)
            }
        }
        #expect(try other.open().isEmpty)
        try other.check()
    }
}
