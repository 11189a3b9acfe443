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

    @Test func nestedCollectionsFreezeAndThaw() throws {
        let frozen = try #require(list?.freeze())
        try realm.write { list?.removeAll() }
        #expect(frozen.count == 2 && frozen.thaw()?.count == 0)
        try lab.check()
    }
}
