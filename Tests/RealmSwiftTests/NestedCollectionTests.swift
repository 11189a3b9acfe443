import Dispatch
import Foundation
import RealmSwift
import Testing

/// Observers of lists and maps inside `AnyRealmValue`, and thread-safe references to such lists and
/// maps.
@Suite struct NestedCollectionTests {
    private let lab: RealmLab
    private let realm: Realm
    private let news = News()

    init() throws {
        lab = try RealmLab(RealmTests.types + [Things.self])
        realm = try lab.open()
        let inner = AnyRealmValue.fromArray([.int(1), .string("two")])
        try realm.write {
            let things = realm.create(Things.self)
            things.any = .fromDictionary(["list": inner, "number": .float(0.5)])
            things.anything.append(objectsIn: [.none, .fromArray([inner, .bool(true)])])
        }
    }

    private var things: Things { realm.objects(Things.self)[0] }

    private var map: Map<String, AnyRealmValue>? { things.any.dictionaryValue }
    private var list: List<AnyRealmValue>? { map?["list"]?.listValue }
    private var deepest: List<AnyRealmValue>? { things.anything[1].listValue?[0].listValue }

    /// Observes the nested collections with a realm on `queue`.
    private func observe(_ queue: DispatchQueue) -> News.Tokens {
        let (news, configuration) = (news, lab.configuration)
        let held = queue.sync { () -> News.Tokens in
            let realm = try! Realm(configuration: configuration, queue: queue)
            let things = realm.objects(Things.self)[0]
            let map = things.any.dictionaryValue!
            return News.Tokens([
                realm, news.token(map, "map"), news.token(map["list"]!.listValue!, "list"),
                news.token(things.anything[1].listValue![0].listValue!, "deepest"),
                news.token(realm.objects(Owner.self), "end"),
            ])
        }
        news.wait { $0.filter { $0.hasSuffix("initial") }.count == 4 }
        return held
    }

    /// Runs a write and returns what observers noted about it.
    private func notes(_ body: () -> Void) throws -> Set<String> {
        let before = news.all.count
        try realm.write(body)
        let owners = realm.objects(Owner.self).count
        try realm.write { realm.add(Owner()) }
        news.wait { $0.contains { $0.hasPrefix("end -[] +[\(owners)]") } }
        return Set(news.all[before...].filter { !$0.hasPrefix("end") })
    }

    @Test func observersReportChangesOfTheNestedCollection() throws {
        let queue = DispatchQueue(label: "observer")
        let held = observe(queue)
        #expect(
            try notes { map?["new"] = .int(1) } == ["map -[] +[\"new\"] *[]"])
        #expect(
            try notes { list?[1] = .bool(false) }
                == ["list -[] +[] *[1]", "map -[] +[] *[\"list\"]"])
        #expect(
            try notes {
                list?.append(.none)
                deepest?.removeLast()
            } == [
                "list -[] +[2] *[]", "map -[] +[] *[\"list\"]", "deepest -[1] +[] *[]",
            ])
        #expect(
            try notes {
                list?.removeAll()
                map?["number"] = nil
            } == ["list -[0, 1, 2] +[] *[]", "map -[\"number\"] +[] *[\"list\"]"])
        queue.sync { withExtendedLifetime(held) {} }
        try lab.check()
    }

    @Test func removedCollectionsReportTheirElementsAsDeletedOnce() throws {
        let queue = DispatchQueue(label: "observer")
        let held = observe(queue)
        #expect(
            try notes { map?["list"] = .int(1) }
                == ["list -[0, 1] +[] *[]", "map -[] +[] *[\"list\"]"])
        #expect(try notes { map?["list"] = .fromArray([.int(9)]) } == ["map -[] +[] *[\"list\"]"])
        #expect(
            try notes { realm.delete(things) }
                == ["map -[\"list\", \"number\"] +[] *[]", "deepest -[0, 1] +[] *[]"])
        queue.sync { withExtendedLifetime(held) {} }
        try lab.check()
    }

    @Test func referencesResolveToTheNestedCollection() throws {
        let deepest = try #require(deepest)
        let references = (
            ThreadSafeReference(to: deepest), ThreadSafeReference(to: try #require(map))
        )
        let configuration = lab.configuration
        let queue = DispatchQueue(label: "other")
        let (texts, keys) = queue.sync { () -> ([String?], [String]) in
            let realm = try! Realm(configuration: configuration, queue: queue)
            let list = realm.resolve(references.0)!
            try! realm.write { list[0] = .string("one") }
            return (list.map(\.stringValue), realm.resolve(references.1)!.keys)
        }
        #expect(texts == ["one", "two"] && Set(keys) == ["list", "number"])
        realm.refresh()
        #expect(deepest[0] == .string("one"))
        let lost = ThreadSafeReference(to: deepest)
        try realm.write { things.anything[1] = .none }
        queue.sync {
            let realm = try! Realm(configuration: configuration, queue: queue)
            realm.refresh()
            #expect(realm.resolve(lost) == nil)
        }
        try lab.check()
    }

    @Test func nestedCollectionsAreFoundAtTheirNewIndex() throws {
        let (deepest, outer) = (try #require(deepest), try #require(things.anything[1].listValue))
        let reference = ThreadSafeReference(to: deepest)
        try realm.write {
            things.anything.insert(.fromArray([.string("other")]), at: 0)
            outer.insert(.fromArray([.string("first")]), at: 0)
            deepest.append(.int(3))
        }
        #expect(deepest.map(\.self) == [.int(1), .string("two"), .int(3)])
        #expect(things.anything[2].listValue == outer && outer[1].listValue == deepest)
        #expect(outer[0].listValue != deepest && realm.resolve(reference) == deepest)
        try realm.write {
            outer.move(from: 1, to: 2)
            things.anything.swapAt(0, 2)
            deepest[0] = .int(0)
        }
        #expect(things.anything[0].listValue == outer && outer[2].listValue == deepest)
        #expect(deepest.count == 3 && deepest[0] == .int(0))
        // A list in the same place is another one.
        try realm.write { outer[2] = .fromArray([.int(1)]) }
        #expect(deepest.isInvalidated && !outer.isInvalidated && outer[2].listValue != deepest)
        try lab.check()
    }

    @Test func nestedCollectionsOfAMapEndWithTheirEntry() throws {
        let (map, list) = (try #require(map), try #require(list))
        try realm.write {
            map["a"] = .fromDictionary(["number": .int(1)])
            list.append(.bool(true))
        }
        #expect(list.count == 3 && map["list"]?.listValue == list)
        try realm.write { map["list"] = .fromArray([.int(9)]) }
        #expect(list.isInvalidated && map["list"]?.listValue != list)
        try lab.check()
    }

    @Test func nestedCollectionsAreFoundInLargeLists() throws {
        let deepest = try #require(deepest)
        let outer = try #require(things.anything[1].listValue)
        try realm.write {
            for i in 0..<1500 { outer.insert(.fromArray([.int(i)]), at: 0) }
            deepest.append(.int(3))
        }
        #expect(deepest.count == 3 && outer[1500].listValue == deepest)
        #expect(deepest.freeze().count == 3)
        try lab.check()
    }

    @Test func observersFollowNestedCollections() throws {
        let queue = DispatchQueue(label: "observer")
        let held = observe(queue)
        let notes = try notes {
            things.anything.insert(.fromArray([.none]), at: 0)
            things.anything[2].listValue?[0].listValue?.append(.int(3))
        }
        #expect(notes == ["deepest -[] +[2] *[]"])
        queue.sync { withExtendedLifetime(held) {} }
        try lab.check()
    }

    @Test func nestedCollectionsFreezeAndThaw() throws {
        let frozen = try #require(list?.freeze())
        try realm.write { list?.removeAll() }
        #expect(frozen.count == 2 && frozen.thaw()?.count == 0)
        try lab.check()
    }
}
