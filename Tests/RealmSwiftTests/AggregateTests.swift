import Foundation
import RealmSwift
import Testing

final class Measurement: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var float: Float?
    @Persisted var double: Double
    @Persisted var decimal: Decimal128
    @Persisted var any: AnyRealmValue
    @Persisted var whole: Int
    @Persisted var floats: List<Float>
    @Persisted var doubles: List<Double?>
    @Persisted var decimals: List<Decimal128>
    @Persisted var anything: List<AnyRealmValue>
    @Persisted var set: MutableSet<Double>
    @Persisted var map: Map<String, Double>
    @Persisted var decimalMap: Map<String, Decimal128>
}

/// `min`, `max`, `sum` and `average` of values that include NaN and null.
@Suite struct AggregateTests {
    private let lab: RealmLab
    private let realm: Realm
    private let all: Results<Measurement>
    private let first: Measurement

    init() throws {
        lab = try RealmLab([Measurement.self])
        realm = try lab.open()
        let nan = try Decimal128(string: "NaN")
        try realm.write { [realm] in
            for id in 0..<3 {
                let one = realm.create(Measurement.self, value: ["id": id])
                one.float = id == 0 ? .nan : Float(id)
                one.double = id == 0 ? .nan : Double(id)
                one.decimal = id == 0 ? nan : Decimal128(value: id)
                one.any = id == 0 ? .decimal128(nan) : .double(Double(id))
            }
            realm.create(Measurement.self, value: ["id": 3, "double": 1.5, "decimal": 1.5])
            let first = realm.object(ofType: Measurement.self, forPrimaryKey: 0)!
            first.floats.append(objectsIn: [.nan, 1, 2])
            first.doubles.append(objectsIn: [.nan, 1, nil, 2])
            first.decimals.append(objectsIn: [nan, 1, 2])
            first.anything.append(objectsIn: [.decimal128(nan), .int(1), .int(2)])
            first.set.insert(objectsIn: [.nan, 1, 2])
            for (key, value) in ["a": Double.nan, "b": 1, "c": 2] { first.map[key] = value }
            first.decimalMap["a"] = nan
            first.decimalMap["b"] = 1
        }
        all = realm.objects(Measurement.self)
        first = all[0]
    }

    @Test func aggregatesOfResultsSkipNaNAndNull() throws {
        let sorted = all.sorted(byKeyPath: "id", ascending: false)
        for results in [all, sorted, all.where { $0.id < 9 }] {
            #expect(results.sum(of: \.double) == 4.5)
            #expect(results.average(of: \.double) == 1.5)
            #expect(results.min(of: \.double) == 1)
            #expect(results.max(of: \.double) == 2)
            #expect(results.sum(of: \.float) == 3)
            #expect(results.average(of: \.float) == 1.5)
            #expect(results.min(of: \.float) == 1)
            #expect(results.max(of: \.float) == 2)
            #expect(results.sum(of: \.decimal) == Decimal128(value: 4.5))
            #expect(results.average(of: \.decimal) == Decimal128(value: 1.5))
            #expect(results.min(of: \.decimal) == 1)
            #expect(results.max(of: \.decimal) == 2)
            #expect(results.sum(of: \.any) == .decimal128(3))
            #expect(results.min(of: \.any) == .double(1))
            #expect(results.max(of: \.any) == .double(2))
        }
        let nothing = all.where { $0.id == 0 }
        #expect(nothing.sum(of: \.double) == 0)
        #expect(nothing.average(of: \.double) == Double?.none)
        #expect(nothing.min(of: \.double) == Double?.none)
        #expect(nothing.max(of: \.decimal) == Decimal128?.none)
        try lab.check()
    }

    @Test func aggregatesOfCollectionsSkipNaNAndNull() {
        #expect(first.floats.sum() == 3)
        #expect(first.floats.average() == Float(1.5))
        #expect(first.floats.min() == 1)
        #expect(first.floats.max() == 2)
        #expect(first.doubles.sum() == 3)
        #expect(first.doubles.average() == 1.5)
        #expect(first.doubles.min() == 1)
        #expect(first.doubles.max() == 2)
        #expect(first.doubles.sorted(ascending: false).min() == 1)
        #expect(first.decimals.sum() == 3)
        #expect(first.decimals.average() == Decimal128(value: 1.5))
        #expect(first.decimals.min() == 1)
        #expect(first.anything.sum() == .decimal128(3))
        #expect(first.anything.min() == .int(1))
        #expect(first.set.sum() == 3)
        #expect(first.set.average() == 1.5)
        #expect(first.set.min() == 1)
        #expect(first.set.max() == 2)
        #expect(first.map.sum() == 3)
        #expect(first.map.average() == 1.5)
        #expect(first.map.max() == 2)
        #expect(first.decimalMap.min() == 1)
        #expect(first.decimalMap.sum() == 1)
        let sum: Any? = first.doubles.value(forKeyPath: "@sum.self")
        #expect(sum as? Double == 3)
    }

    /// The SDK compares the values of a dictionary as mixed values, where NaN is the smallest.
    @Test func theMinimumOfAMapMayBeNaN() {
        #expect(first.map.min()?.isNaN == true)
        #expect(all.where { $0.map.min == .nan }.map(\.id) == [0])
    }

    @Test func aggregatesOfUnmanagedCollectionsAreTheSame() {
        let loose = Measurement()
        loose.doubles.append(objectsIn: [.nan, 1, nil, 2])
        loose.set.insert(objectsIn: [.nan, 1, 2])
        #expect(loose.doubles.sum() == 3)
        #expect(loose.doubles.average() == 1.5)
        #expect(loose.doubles.min() == 1)
        #expect(loose.doubles.max() == 2)
        #expect(loose.set.sum() == 3)
        #expect(Measurement().anything.sum() == .int(0))
        #expect(Measurement().decimals.sum() == 0)
    }

    /// Aggregates in conditions have the same results as the aggregate functions of collections.
    @Test func aggregatesEqualThoseInConditions() {
        #expect(all.where { $0.doubles.sum == 3 && $0.doubles.avg == 1.5 }.count == 1)
        #expect(all.where { $0.set.min == 1 && $0.set.max == 2 }.count == 1)
        #expect(all.where { $0.decimals.sum == 3 }.count == 1)
    }

    /// Standard deviation and median, which the SDK does not have.
    @Test func standardDeviationAndMedianAreComputed() throws {
        let half = 0.5.squareRoot()
        let sorted = all.sorted(byKeyPath: "id", ascending: false)
        for results in [all, sorted] {
            // The values are 1 and 2 (mean 1.5); the NaN is skipped.
            #expect(results.standardDeviation(of: \.double) == 0.5)
            #expect(results.median(of: \.double) == 1.5)
            #expect(results.median(ofProperty: "float") == Float(1.5))
            #expect(results.standardDeviation(ofProperty: "float") == half)
            #expect(results.median(of: \.decimal) == Decimal128(value: 1.5))
            #expect(results.value(forKeyPath: "@stddev.double") as? Double == 0.5)
            #expect(results.value(forKeyPath: "@median.double") as? Double == 1.5)
        }
        let nothing = all.where { $0.id == 0 }
        #expect(nothing.standardDeviation(of: \.double) == Double?.none)
        #expect(nothing.median(of: \.double) == Double?.none)
        #expect(nothing.value(forKeyPath: "@median.double") == nil)
        #expect(first.doubles.standardDeviation() == half)
        #expect(first.doubles.median() == 1.5)
        #expect(first.map.standardDeviation() == half)
        #expect(first.map.median() == 1.5)
        #expect(first.map.value(forKeyPath: "@median") as? Double == 1.5)
        #expect(first.decimals.median() == Decimal128(value: 1.5))
        let loose = Measurement()
        loose.doubles.append(objectsIn: [.nan, 1, nil, 2])
        #expect(loose.doubles.standardDeviation() == half)
        #expect(loose.doubles.median() == 1.5)
        #expect(loose.doubles.value(forKeyPath: "@stddev.self") as Any? as? Double == half)
        #expect(loose.set.median() == Double?.none)
        #expect(realm.objects(Measurement.self).filter("doubles.@median == 1.5").count == 1)
        #expect(all.where { $0.doubles.median == 1.5 && $0.map.median == 1.5 }.count == 1)
        #expect(all.where { $0.doubles.standardDeviation > 0.7 }.count == 1)
        #expect(all.where { $0.doubles.standardDeviation > 0.8 }.isEmpty)
        #expect(realm.objects(Measurement.self).filter("doubles.@stddev > 0.7").count == 1)
        #expect(realm.objects(Measurement.self).filter("map.@median == %@", 1.5).count == 1)
        try lab.check()
    }

    /// Sums of integers wrap, as in the SDK.
    @Test func sumsOfIntegersWrap() throws {
        try realm.write {
            all[0].whole = .max
            all[1].whole = 1
        }
        #expect(all.sum(of: \.whole) == Int.min)
        #expect(all.average(ofProperty: "whole") == 0x1p61)
    }
}
