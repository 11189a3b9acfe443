import Foundation
import RealmSwift
import Testing

/// Equality and hash values of objects and collections.
@Suite struct EqualityTests {
    @Test func unmanagedCollectionsAreEqualByContent() {
        let (one, other) = (List<Int>(), List<Int>())
        one.append(objectsIn: [1, 2])
        #expect(one != other && !one.isEqual(other))
        other.append(objectsIn: [1, 2])
        #expect(one == other && one.isEqual(other) && one.hash == other.hash)
        let (set, same) = (MutableSet<Int>(), MutableSet<Int>())
        set.insert(objectsIn: [1, 2, 3])
        same.insert(objectsIn: [3, 2, 1, 2])
        #expect(set == same && set.isEqual(same) && set.hash == same.hash)
        let (map, twin) = (Map<String, Int>(), Map<String, Int>())
        map["a"] = 1
        twin["a"] = 1
        #expect(map.isEqual(twin) && map.hash == twin.hash && !map.isEqual(one))
    }

    @Test func managedCollectionsAreEqualByIdentity() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let (first, second) = (Things(), Things())
        try realm.write { realm.add([first, second]) }
        let again = realm.objects(Things.self)[0]
        #expect(first.anything == again.anything && first.anything.hash == again.anything.hash)
        #expect(first.anything != second.anything && first.numbers != second.numbers)
        #expect(first.numbers == again.numbers && first.names.isEqual(again.names))
        #expect(first.anything != List<AnyRealmValue>())
    }

    @Test func collectionsInAnyValuesAreEqualAtTheSamePathOnly() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let things = Things()
        let list = AnyRealmValue.fromArray([.int(1)])
        let map = AnyRealmValue.fromDictionary(["a": .int(1)])
        things.anything.append(objectsIn: [list, list, map, map])
        things.any = .fromDictionary(["x": list, "y": list])
        try realm.write { realm.add(things) }
        let again = realm.objects(Things.self)[0]
        func lists(_ things: Things) throws -> [List<AnyRealmValue>] {
            let entries = try #require(things.any.dictionaryValue)
            let values = [things.anything[0], things.anything[1], entries["x"], entries["y"]]
            return try values.map { try #require($0?.listValue) }
        }
        let (mine, theirs) = (try lists(things), try lists(again))
        for (i, one) in mine.enumerated() {
            for (j, other) in theirs.enumerated() {
                #expect((one == other) == (i == j) && one.isEqual(other) == (i == j))
            }
            #expect(one.hash == theirs[i].hash)
        }
        let maps = try [2, 3].map { try #require(things.anything[$0].dictionaryValue) }
        #expect(!maps[0].isEqual(maps[1]) && maps[1].isEqual(again.anything[3].dictionaryValue))
    }
}
