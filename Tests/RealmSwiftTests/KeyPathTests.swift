import Foundation
import RealmSwift
import Testing

/// The property names of key paths.
@Suite struct KeyPathTests {
    @Test func keyPathsThroughCollectionsHaveNames() {
        #expect(_name(for: \Dog.name) == "name")
        #expect(_name(for: \Dog.owner?.name) == "owner.name")
        #expect(_name(for: \Dog.friends[0].collar?.color) == "friends.collar.color")
        #expect(_name(for: \Owner.dogs) == "dogs")
        #expect(_name(for: \Owner.dogs[0].owner?.dogs[0].age) == "dogs.owner.dogs.age")
        #expect(_name(for: \Things.set[0].name) == "set.name")
        #expect(_name(for: \Things.dogs["a"]??.mood) == "dogs.mood")
        #expect(_name(for: \Things.collars[0].length) == "collars.length")
    }

    @Test func keyPathsToHoldersHaveNames() {
        #expect(_name(for: \HolderClass.number) == "number")
        #expect(_name(for: \HolderClass.number.value) == "number")
    }

    /// Property names that differ from the column names, also after links.
    @Test func keyPathsUseColumnNamesAfterLinks() throws {
        let lab = try RealmLab([Renamed.self, RenamedPart.self])
        let realm = try lab.open()
        try realm.write {
            for i in 0..<4 {
                realm.create(
                    Renamed.self,
                    value: ["number": i, "part": ["size": 10 - i], "other": ["number": 100 + i]])
            }
        }
        let all = realm.objects(Renamed.self).where { $0.part.size > 0 }
        #expect(all.count == 4)
        #expect(all.filter("part.size < 9").count == 2)
        #expect(all.where { $0.other.number == 102 }.first?.number == 2)
        #expect(all.sorted(byKeyPath: "part.size").map(\.number) == [3, 2, 1, 0])
        #expect(all.distinct(by: ["part.size"]).count == 4)
        #expect(all.filter("parents.number == 1").count == 0)
        #expect(
            realm.objects(Renamed.self).filter("ANY parents.number == 1").map(\.number) == [101])
        let dynamic = realm.dynamicObjects("Renamed")[0]
        try realm.write { dynamic.number = 7 }
        #expect(dynamic["number"] as? Int == 7)
        try lab.check()
    }
}

final class HolderClass: Object {
    let number = RealmProperty<Int?>()
}

final class Renamed: Object {
    @Persisted var number: Int
    @Persisted var part: RenamedPart?
    @Persisted var other: Renamed?
    @Persisted(originProperty: "other") var parents: LinkingObjects<Renamed>

    override class func propertiesMapping() -> [String: String] {
        ["number": "c_number", "part": "c_part", "other": "c_other"]
    }
}

final class RenamedPart: EmbeddedObject {
    @Persisted var size: Int

    override class func propertiesMapping() -> [String: String] { ["size": "c_size"] }
}
