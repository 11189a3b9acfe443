import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Comparisons of custom types stored as embedded objects, which compare each property, and
/// conditions that only predicate texts can express.
@Suite struct ValueComparisonTests {
    struct Place: CustomPersistable {
        typealias PersistedType = Collar
        var color = ""
        var length: Float = 0
        init(persistedValue: Collar) {
            (color, length) = (persistedValue.color, persistedValue.length)
        }
        init(_ color: String, _ length: Float) { (self.color, self.length) = (color, length) }
        var persistableValue: Collar { Collar(value: [color, length] as [Any]) }
    }

    final class Wearer: Object {
        @Persisted var collar: Place
        @Persisted var spare: List<Place>
        @Persisted var named: Map<String, Place?>
        @Persisted var anything: AnyRealmValue
        @Persisted var days: List<Date>
        @Persisted var friends: MutableSet<Wearer>
        @Persisted var number: Int
    }

    private func wearers() throws -> (RealmLab, Results<Wearer>) {
        let lab = try RealmLab([Wearer.self, Collar.self])
        let realm = try lab.open()
        try realm.write {
            for i in 0..<3 {
                let wearer = realm.create(
                    Wearer.self,
                    value: [
                        "collar": Place("red", Float(i)), "number": i,
                        "spare": [Place("blue", 1), Place("green", Float(i))],
                        "days": [Date(timeIntervalSince1970: Double(i))],
                    ])
                wearer.anything = .fromArray([.int(i), .fromDictionary(["a": .string("b")])])
                wearer.friends.insert(wearer)
                wearer.named["best"] = Place("black", Float(i))
            }
        }
        return (lab, realm.objects(Wearer.self))
    }

    @Test func embeddedValuesAreComparedByProperty() throws {
        let (lab, all) = try wearers()
        func numbers(_ condition: (Query<Wearer>) -> Query<Bool>) -> [Int] {
            all.where(condition).map(\.number).sorted()
        }
        #expect(numbers { $0.collar == Place("red", 1) } == [1])
        #expect(numbers { $0.collar != Place("red", 1) } == [0, 2])
        #expect(numbers { $0.number == 0 || $0.collar == Place("red", 2) } == [0, 2])
        #expect(numbers { $0.spare == Place("green", 2) } == [2])
        #expect(numbers { $0.spare == Place("blue", 2) } == [])
        #expect(numbers { $0.named.values == Place("black", 2) } == [2])
        let list = List<AnyRealmValue>()
        list.append(objectsIn: [.int(1), .fromDictionary(["a": .string("b")])])
        #expect(numbers { $0.anything == .list(list) } == [1])
        #expect(numbers { $0.anything != .list(list) } == [0, 2])
        list[1] = .fromDictionary(["a": .string("c")])
        #expect(numbers { $0.anything == .list(list) } == [])
        try lab.check()
    }

    @Test func conditionsOnCollectionsCountMatches() throws {
        let (lab, all) = try wearers()
        let day = Date(timeIntervalSince1970: 1)
        #expect(all.where { $0.days.contains(day...day) }.map(\.number) == [1])
        #expect(all.where { ($0.friends.number > 0).count == 1 }.count == 2)
        for ask in [{ _ = all.filter("number.@min > 1") }, { _ = all.where { $0.number.min > 1 } }]
        {
            #expect(
                RealmTesting.catchMisuse(ask)?.reason
                    == "Invalid keypath 'number.@min': Property 'Wearer.number' is not a link or "
                    + "collection and can only appear at the end of a keypath.")
        }
        try lab.check()
    }

    @Test func predicatesApplyToUnmanagedValues() {
        let numbers = List<Int>()
        numbers.append(objectsIn: [5, 6, 7])
        #expect(numbers.index(matching: NSPredicate(format: "self == 7")) == 2)
        #expect(numbers.index(matching: { $0 > 5 && $0 < 7 }) == 1)
        #expect(
            NSPredicate(format: "a IN %@", NSArray(array: [true]))
                == NSPredicate(format: "a IN %@", [true]))
    }

    @Test func setsAndTheirElementsHaveCounts() throws {
        let (lab, all) = try wearers()
        let friends = try #require(all.first).friends
        #expect((friends.value(forKeyPath: "@count") as! NSNumber?)?.intValue == 1)
        #expect((friends.value(forKeyPath: "@sum.number") as! NSNumber?)?.intValue == 0)
        let counted = all.where { ($0.friends.days.count > 0).count == 1 }
        #expect(counted.count == 3)
        #expect(RealmTesting.catchMisuse { _ = all.distinct(by: ["days"]) } != nil)
        try lab.check()
    }
}
