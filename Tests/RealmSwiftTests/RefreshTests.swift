import Dispatch
import Foundation
import RealmSwift
import Testing

/// Calls of `refresh()` on a blocked queue, which must call the observers themselves.
@Suite struct RefreshTests {
    private struct Shown {
        let lab: RealmLab
        let news = News()
    }

    private func note<C: RealmCollection>(
        _ name: String, _ things: C, in news: News
    ) -> NotificationToken {
        things.observe { change in
            switch change {
            case .initial(let now): news.note("\(name) initial \(now.count)")
            case .update(let now, _, _, _): news.note("\(name) update \(now.count)")
            case .error: news.note("\(name) error")
            }
        }
    }

    /// Observes one value of each kind: results, list, set, map, sections and so on. Each observer
    /// receives an initial call.
    private func observers(_ realm: Realm, _ news: News) -> [Any] {
        let (owner, things) = (realm.objects(Owner.self)[0], realm.objects(Things.self)[0])
        let dogs = realm.objects(Dog.self)
        return [
            realm,
            note("results", dogs, in: news),
            note("filtered", dogs.where { $0.name == "Rex" }, in: news),
            note("list", dogs[0].tags, in: news),
            note("set", things.numbers, in: news),
            note("links", owner.dogs, in: news),
            note("any", AnyRealmCollection(things.set), in: news),
            things.names.observe { change in
                if case .initial(let map) = change { news.note("map initial \(map.count)") }
                if case .update(let map, _, _, _) = change { news.note("map update \(map.count)") }
            },
            dogs.sectioned(by: \.name).observe { change in
                if case .initial(let sections) = change {
                    news.note("sections initial \(sections.count)")
                } else {
                    news.note("sections update")
                }
            },
            note("projected", realm.objects(DogName.self), in: news),
        ]
    }

    private func prepared() throws -> Shown {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        try realm.write {
            let owner = realm.create(Owner.self, value: ["name": "Ada"])
            realm.create(
                Dog.self,
                value: ["id": 1, "name": "Rex", "tags": ["a"], "owner": owner] as [String: Any])
            let things = realm.create(Things.self, value: ["numbers": [1]])
            things.names["a"] = "b"
        }
        return Shown(lab: lab)
    }

    private static let first = [
        "results initial 1", "filtered initial 1", "list initial 1", "set initial 1",
        "links initial 1", "any initial 0", "map initial 1", "sections initial 1",
        "projected initial 1",
    ]

    /// Calls `body` with an observed realm on a queue that runs nothing else meanwhile, then
    /// unblocks the queue.
    private func onBlockedQueue(_ shown: Shown, _ body: (Realm) -> Void) {
        let queue = DispatchQueue(label: "blocked")
        let held = queue.sync { () -> News.Tokens in
            let realm = try! Realm(configuration: shown.lab.configuration, queue: queue)
            let tokens = News.Tokens(observers(realm, shown.news))
            body(realm)
            return tokens
        }
        for _ in 0..<3 { queue.sync {} }
        withExtendedLifetime(held) {}
    }

    private func addElsewhere(_ shown: Shown, _ name: String) {
        MisuseTests.elsewhere(shown.lab.configuration) { configuration in
            let other = try! Realm(configuration: configuration)
            try! other.write { other.create(Dog.self, value: ["id": 2, "name": name]) }
        }
    }

    @Test func refreshDeliversInitialNotifications() throws {
        let shown = try prepared()
        let news = shown.news
        onBlockedQueue(shown) { realm in
            #expect(news.all.isEmpty)
            #expect(!realm.refresh())
            #expect(news.all.sorted() == Self.first.sorted())
            #expect(!realm.refresh())
            #expect(news.all.count == Self.first.count)
            // `refresh` calls the observers after a commit of another realm. A commit of this realm
            // calls them itself.
            addElsewhere(shown, "Bo")
            #expect(realm.refresh())
            #expect(news.all.contains("results update 2") && news.all.contains("sections update"))
            try! realm.write { realm.objects(Dog.self)[0].tags.append("b") }
            #expect(!realm.refresh())
            #expect(news.all.contains("list update 2"))
        }
        // Evaluations that reach the queue after it is unblocked do not cause a second initial
        // call.
        #expect(news.all.filter { $0.contains("initial") }.sorted() == Self.first.sorted())
        try shown.lab.check()
    }

    /// The initial call after a refresh that advanced the realm shows the newest version.
    @Test func advancingRefreshDeliversInitialNotifications() throws {
        let shown = try prepared()
        let news = shown.news
        onBlockedQueue(shown) { realm in
            addElsewhere(shown, "Rex")
            #expect(realm.refresh())
            #expect(
                news.all.contains("results initial 2") && news.all.contains("filtered initial 2"))
            #expect(news.all.count == Self.first.count)
        }
    }

    @Test func writesDeliverInitialNotificationsBeforeTheyBegin() throws {
        let shown = try prepared()
        let news = shown.news
        onBlockedQueue(shown) { realm in
            realm.beginWrite()
            #expect(news.all.sorted() == Self.first.sorted())
            // No observer is called inside a write transaction.
            realm.create(Dog.self, value: ["id": 2])
            #expect(!realm.refresh() && news.all.count == Self.first.count)
            try! realm.commitWrite()
            #expect(!realm.refresh())
            #expect(news.all.contains("results update 2"))
        }
    }
}

final class DogName: Projection<Dog> {
    @Projected(\Dog.name) var name
}
