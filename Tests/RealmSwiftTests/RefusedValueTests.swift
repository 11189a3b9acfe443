import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// A custom type that is stored as an integer and rejects the stored value 13.
struct Floor: FailableCustomPersistable {
    typealias PersistedType = Int
    let persistableValue: Int

    init?(persistedValue: Int) {
        if persistedValue == 13 { return nil }
        persistableValue = persistedValue
    }
}

final class House: Object {
    @Persisted var top: Floor
    @Persisted var bottom: Floor?
    @Persisted var list: List<Floor>
    @Persisted var optionals: List<Floor?>
    @Persisted var set: MutableSet<Floor>
    @Persisted var map: Map<String, Floor>
}

/// Values that a type of the program cannot represent. They can be stored; reading them fails.
@Suite struct RefusedValueTests {
    private static var values: [String: Any] {
        [
            "bottom": 13, "list": [1, 13], "optionals": [1, 13], "set": [13],
            "map": ["a": 13, "b": 2],
        ]
    }
    private static let refusal = "Could not convert value '13' to type 'Floor'."
    private static let ofProperty =
        "Failed to convert persisted value '13' to type 'Floor' in a non-optional context."

    private func reason(_ body: () -> Void) -> String? { RealmTesting.catchMisuse(body)?.reason }

    /// Checks a house that was created from `values`: reading a rejected value traps, or returns
    /// nil if the property is optional.
    private func check(_ house: House, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(house.bottom == nil, sourceLocation: sourceLocation)
        #expect(
            house.list.count == 2 && house.list[0].persistableValue == 1,
            sourceLocation: sourceLocation)
        #expect(reason { _ = house.list[1] } == Self.refusal, sourceLocation: sourceLocation)
        #expect(
            house.optionals.map { $0?.persistableValue } == [1, nil],
            sourceLocation: sourceLocation)
        #expect(
            house.set.count == 1 && reason { _ = house.set.first } == Self.refusal,
            sourceLocation: sourceLocation)
        #expect(
            Set(house.map.keys) == ["a", "b"] && house.map["b"]?.persistableValue == 2,
            sourceLocation: sourceLocation)
        #expect(reason { _ = house.map["a"] } == Self.refusal, sourceLocation: sourceLocation)
    }

    @Test func unmanagedCollectionsRefuseWhenRead() {
        let house = House(value: Self.values)
        check(house)
        #expect(reason { _ = House(value: ["top": 13]) } == Self.refusal)
        #expect(reason { house["top"] = 13 } == Self.refusal)
        house.list.removeAll()
        house.list.append(Floor(persistedValue: 3)!)
        #expect(house.list.count == 1 && house.list[0].persistableValue == 3)
    }

    @Test func changesOfUnmanagedCollectionsRefuse() {
        let house = House(value: Self.values)
        let three = Floor(persistedValue: 3)!
        #expect(reason { house.list.append(three) } == Self.refusal)
        #expect(reason { house.set.insert(three) } == Self.refusal)
        #expect(reason { house.map["c"] = three } == Self.refusal)
        #expect(reason { house.list[0] = three } == Self.refusal)
        check(house)
    }

    @Test func managedObjectsStoreRefusedValues() throws {
        let lab = try RealmLab([House.self])
        let realm = try lab.open()
        try realm.write {
            let created = realm.create(
                House.self, value: Self.values.merging(["top": 13]) { $1 })
            check(created)
            #expect(reason { _ = created.top } == Self.ofProperty)
            created["top"] = 2
            #expect(created.top.persistableValue == 2)
            created["top"] = 13
            #expect(reason { _ = created["top"] } == Self.ofProperty)
            created["list"] = [13]
            #expect(created.list.count == 1 && reason { _ = created.list[0] } == Self.refusal)
            created["map"] = ["x": 13]
            created["set"] = [13]
            #expect(created.map.keys == ["x"] && created.set.count == 1)
        }
        #expect(realm.objects(House.self).where { $0.top.persistableValue == 13 }.count == 1)
        try lab.check()
    }

    @Test func addedCollectionsKeepRefusedValues() throws {
        let lab = try RealmLab([House.self])
        let realm = try lab.open()
        let house = House(value: Self.values)
        try realm.write { realm.add(house) }
        check(house)
        #expect(realm.objects(House.self).filter("ANY list == 13").count == 1)
        try realm.write { house.list.append(Floor(persistedValue: 5)!) }
        #expect(house.list.count == 3)
        try lab.check()
    }

    @Test func valuesOfOtherTypesAreStillMistakes() {
        #expect(reason { _ = House(value: ["list": ["x"]]) }?.hasPrefix("Invalid value") == true)
        #expect(reason { _ = House(value: ["map": ["a": "x"]]) }?.hasPrefix("Invalid") == true)
        #expect(reason { _ = House(value: ["top": "x"]) }?.hasPrefix("Invalid value") == true)
    }
}
