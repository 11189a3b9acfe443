import Dispatch
import Foundation
import RealmSwift
import Testing

final class Wheel: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var labels: List<String>
    @Persisted var hub: Hub?
}

final class Hub: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var labels: List<String>
}

/// A class without a primary key.
final class Plate: Object {
    @Persisted var text: String
    @Persisted var year: Int
}

final class Wagon: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var mood: Mood
    @Persisted var price: Decimal128
    @Persisted var ratio: Float
    @Persisted var built: Date?
    @Persisted var any: AnyRealmValue
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var extras: Map<String, AnyRealmValue>
    @Persisted var numbers: List<Int>
    @Persisted var wheel: Wheel?
    @Persisted var wheels: List<Wheel>
    @Persisted var spares: Map<String, Wheel?>
    @Persisted var plate: Plate?
    @Persisted var plates: List<Plate>
    @Persisted var namedPlates: Map<String, Plate?>
    @Persisted var next: Wagon?
}

/// `Realm.UpdatePolicy.modified` does not write equal values.
@Suite struct ModifiedTests {
    private static let types: [ObjectBase.Type] = [
        Wheel.self, Hub.self, Plate.self, Wagon.self, Relic.self,
    ]

    /// Values that must be converted to the types of the properties: a text for an enum, an integer
    /// for a decimal number.
    private static var values: [String: Any] {
        [
            "id": 1, "mood": "wild", "price": 5, "ratio": 0.5,
            "built": Date(timeIntervalSince1970: 1_500_000_000.25),
            "any": ["a": [1, "x", ["b": 2.5]], "n": NSNull()], "words": ["a", "b"],
            "counts": ["x": 1, "y": NSNull()], "extras": ["l": [1, [2]], "s": "t"],
            "numbers": [1, 2, 2], "wheel": ["size": 1, "labels": ["l"], "hub": ["size": 2]],
            "wheels": [["size": 3], ["size": 4, "labels": ["m"]]],
            "spares": ["a": [5], "b": NSNull()],
            "plate": ["text": "P", "year": 1], "plates": [["Q", 2], ["R", 3]],
            "namedPlates": ["s": ["S", 4], "n": NSNull()], "next": ["id": 2, "ratio": 1],
        ]
    }

    private let lab: RealmLab
    private let realm: Realm
    private let wagon: Wagon

    init() throws {
        lab = try RealmLab(Self.types)
        let realm = try lab.open()
        self.realm = realm
        wagon = try realm.write { realm.create(Wagon.self, value: Self.values) }
    }

    /// Returns the notes that observers of the wagon and its collections make when `body` runs.
    private func notes(_ body: () throws -> Void) throws -> [String] {
        let (news, configuration) = (News(), lab.configuration)
        let queue = DispatchQueue(label: "observer")
        let held = queue.sync { () -> News.Tokens in
            let realm = try! Realm(configuration: configuration, queue: queue)
            let wagon = realm.object(ofType: Wagon.self, forPrimaryKey: 1)!
            return News.Tokens([
                realm, news.token(wagon, "wagon"), news.token(wagon.wheel!, "wheel"),
                news.token(wagon.plate!, "plate"), news.token(wagon.next!, "next"),
                news.token(wagon.numbers, "numbers"), news.token(wagon.words, "words"),
                news.token(wagon.wheels, "wheels"), news.token(wagon.plates, "plates"),
                news.token(wagon.counts, "counts"), news.token(wagon.extras, "extras"),
                news.token(wagon.spares, "spares"), news.token(wagon.namedPlates, "namedPlates"),
                // This observer is called after the others in each round of notifications.
                news.token(realm.objects(Relic.self), "relics"),
            ])
        }
        news.wait { $0.filter { $0.hasSuffix("initial") }.count == 9 }
        try realm.write(body)
        try realm.write { realm.add(Relic()) }
        news.wait { $0.contains { $0.hasPrefix("relics -") } }
        queue.sync { withExtendedLifetime(held) {} }
        return news.all.filter { !$0.hasPrefix("relics") && !$0.hasSuffix("initial") }
    }

    @Test func creatingWithEqualValuesWritesNothing() throws {
        let (wheel, first, spare) = (wagon.wheel!, wagon.wheels[0], wagon.spares["a"]!!)
        let plate = wagon.plate!
        let notes = try notes {
            realm.create(Wagon.self, value: Self.values, update: .modified)
        }
        #expect(notes == [])
        #expect(!wheel.isInvalidated && !first.isInvalidated && !spare.isInvalidated)
        #expect(wagon.plate!.isSameObject(as: plate) && realm.objects(Plate.self).count == 4)
        try lab.check()
    }

    @Test func addingAnEqualObjectWritesNothing() throws {
        let (wheel, first, spare) = (wagon.wheel!, wagon.wheels[0], wagon.spares["a"]!!)
        let other = Wagon(value: Self.values)
        let notes = try notes { realm.add(other, update: .modified) }
        #expect(notes == [])
        #expect(!wheel.isInvalidated && !first.isInvalidated && !spare.isInvalidated)
        #expect(other.wheel!.isSameObject(as: wheel) && other.isSameObject(as: wagon))
        #expect(realm.objects(Plate.self).count == 4)
        try lab.check()
    }

    @Test func onlyTheDifferenceIsNotified() throws {
        var values = Self.values
        values["mood"] = "calm"
        values["counts"] = ["x": 1, "y": 7]
        values["numbers"] = [1, 3]
        values["wheels"] = [["size": 3], ["size": 6]]
        let notes = try notes { realm.create(Wagon.self, value: values, update: .modified) }
        #expect(
            Set(notes) == [
                "wagon mood", "wagon counts", "wagon numbers", "counts -[] +[] *[\"y\"]",
                "numbers -[2] +[] *[1]", "wheels -[] +[] *[1]", "wagon wheels",
            ])
        #expect(notes.count == 7 && wagon.wheels[1].labels.first == "m")
        try lab.check()
    }

    @Test func setsAndMapsKeepValuesThatAreNotGiven() throws {
        func check() {
            #expect(Set(wagon.words) == ["a", "b", "c"])
            #expect(Set(wagon.counts.keys) == ["x", "y", "z"] && wagon.counts["x"] == 3)
            #expect(Set(wagon.spares.keys) == ["a", "b"] && wagon.spares["b"]!?.size == 7)
            #expect(Array(wagon.numbers) == [9])
            let any = wagon.any.dictionaryValue!
            #expect(Set(any.keys) == ["a", "n", "c"] && any["c"] == .int(4))
            #expect(any["a"]?.listValue.map { Array($0) } == [.int(7)])
        }
        let values: [String: Any] = [
            "id": 1, "words": ["c"], "counts": ["x": 3, "z": 4], "spares": ["b": [7]],
            "numbers": [9], "any": ["a": [7], "c": 4],
        ]
        try realm.write { realm.create(Wagon.self, value: values, update: .modified) }
        check()
        try realm.write {
            wagon.words.remove("c")
            wagon.counts["z"] = nil
            wagon.numbers.append(10)
            realm.add(Wagon(value: values), update: .modified)
        }
        check()
        try realm.write {
            let none: [String: Any] = ["id": 1, "words": NSNull(), "counts": NSNull()]
            realm.create(Wagon.self, value: none, update: .modified)
        }
        #expect(wagon.words.isEmpty && wagon.counts.count == 0)
        try lab.check()
    }

    @Test func embeddedObjectsAreChangedInPlace() throws {
        let (wheel, hub, second) = (wagon.wheel!, wagon.wheel!.hub!, wagon.wheels[1])
        try realm.write {
            realm.create(
                Wagon.self,
                value: [
                    "id": 1, "wheel": ["hub": ["labels": ["h"]]],
                    "wheels": [[1], ["size": 8], [9]],
                    "spares": ["a": ["labels": ["s"]]],
                ], update: .modified)
        }
        #expect(wheel.size == 1 && Array(wheel.labels) == ["l"])
        #expect(hub.size == 2 && Array(hub.labels) == ["h"])
        #expect(second.size == 8 && Array(second.labels) == ["m"])
        #expect(wagon.wheels.map(\.size) == [1, 8, 9])
        #expect(wagon.spares["a"]!!.size == 5 && wagon.spares["a"]!!.labels.first == "s")
        try realm.write {
            let none: [String: Any] = ["id": 1, "wheel": NSNull(), "wheels": [Any]()]
            realm.create(Wagon.self, value: none, update: .modified)
        }
        #expect(wagon.wheel == nil && wagon.wheels.isEmpty && wheel.isInvalidated)
        try lab.check()
    }

    @Test func linkedObjectsWithoutKeysAreChangedInPlace() throws {
        let (plate, first) = (wagon.plate!, wagon.plates[0])
        try realm.write {
            realm.create(
                Wagon.self,
                value: ["id": 1, "plate": ["year": 7], "plates": [["text": "Z"]]],
                update: .modified)
        }
        #expect(plate.text == "P" && plate.year == 7 && first.text == "Z" && first.year == 2)
        #expect(wagon.plates.count == 1 && realm.objects(Plate.self).count == 4)
        // A managed object is not merged into the linked object: it becomes the target of the link.
        try realm.write {
            realm.create(
                Wagon.self, value: ["id": 1, "plate": first, "plates": [plate, first]],
                update: .modified)
        }
        #expect(wagon.plate!.isSameObject(as: first) && wagon.plates[1].isSameObject(as: first))
        #expect(plate.text == "P" && realm.objects(Plate.self).count == 4)
        try lab.check()
    }

    @Test func updatingAllReplacesEmbeddedObjectsAndEntries() throws {
        let wheel = wagon.wheel!
        try realm.write {
            realm.create(
                Wagon.self, value: ["id": 1, "wheel": ["size": 1], "counts": ["z": 1]], update: .all
            )
        }
        #expect(wheel.isInvalidated && wagon.wheel!.labels.isEmpty)
        #expect(wagon.counts.keys == ["z"])
        try lab.check()
    }

    @Test func mixedValuesInCollectionsAreUpdated() throws {
        let values: [String: Any] = [
            "number": 1, "words": ["a", "b"], "others": [3], "anything": ["k": [1]],
            "owned": ["me": ["number": 2]],
        ]
        let relic = try realm.write { realm.create(Relic.self, value: values) }
        try realm.write {
            realm.create(
                Relic.self,
                value: [
                    "number": 1, "words": ["a"], "others": [4], "anything": ["j": 2],
                    "owned": [String: Any](),
                ] as [String: Any], update: .modified)
            realm.add(Relic(value: values), update: .modified)
        }
        #expect(Array(relic.words) == ["a", "b"] && Set(relic.others) == [3, 4])
        #expect(Set(relic.anything.value.dictionaryValue!.keys) == ["j", "k"])
        #expect(relic.owned["me"]??.number.value == 2 && realm.objects(Relic.self).count == 2)
        try lab.check()
    }
}
