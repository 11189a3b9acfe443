import Foundation
import RealmSwift

struct JobCard: Sendable {
    var id: ObjectId
    var title, assignee, state: String
}

/// An actor that owns a realm (ACT-14 to ACT-16).
actor Store {
    var realm: Realm!

    init() async throws { realm = try await Realm(actor: self) }

    var count: Int { realm.objects(Job.self).count }

    func create(title: String, assignee: String) async throws {
        try await realm.asyncWrite {
            realm.create(
                Job.self,
                value: [
                    "_id": ObjectId.generate(), "title": title, "assignee": assignee,
                    "state": "open",
                ] as [String: Any])
        }
    }

    func assignee(of t: String) -> String {
        realm.objects(Job.self).where { $0.title == t }.first!.assignee
    }

    func card(_ t: String) -> JobCard {
        let j = realm.objects(Job.self).where { $0.title == t }.first!
        return JobCard(id: j._id, title: j.title, assignee: j.assignee, state: j.state)
    }

    func update(_ id: ObjectId, state: String) async throws {
        try await realm.asyncWrite {
            realm.create(
                Job.self, value: ["_id": id, "state": state] as [String: Any], update: .modified)
        }
    }

    func remove(_ id: ObjectId) async throws {
        try await realm.asyncWrite {
            let j = realm.object(ofType: Job.self, forPrimaryKey: id)
            realm.delete(j!)
        }
    }

    func close() { realm = nil }
}

actor Janitor {
    func remove(_ ref: ThreadSafeReference<Job>) throws {
        let realm = try Realm()
        try realm.write { if let job = realm.resolve(ref) { realm.delete(job) } }
    }
}

@globalActor actor Background: GlobalActor {
    static let shared = Background()
}

/// Realms that are confined to actors (A1 to A13).
extension Samples {
    // ACT-08 ACT-09 ACT-10 ACT-11 ACT-12
    @MainActor public static func openOnMainActor() async throws {
        let one = try await Realm()
        let two = try await Realm(actor: MainActor.shared)
        check(one == two, "same instance")
        var config = Realm.Configuration.defaultConfiguration
        config.fileURL!.deleteLastPathComponent()
        config.fileURL!.appendPathComponent("galadriel")
        config.fileURL!.appendPathExtension("realm")
        let three = try await Realm(configuration: config, actor: MainActor.shared)
        check(three.configuration.fileURL == config.fileURL, "custom file")
        check(three != one, "another file")
        // ACT-13: local files are not downloaded before opening.
        let four = try await Realm(configuration: config, downloadBeforeOpen: .always)
        check(four == three, "the same")
    }

    // ACT-02 ACT-14 ACT-15 ACT-16 ACT-17 ACT-28 ACT-35 ACT-37
    public static func actorOwnsRealm() async throws {
        let store = try await Store()
        for i in 0..<3 { try await store.create(title: "job \(i)", assignee: "a\(i)") }
        check(await store.count == 3, "created")
        check(await store.assignee(of: "job 1") == "a1", "a string back")
        let card = await store.card("job 1")
        try await store.update(card.id, state: "done")
        let after = await store.card("job 1")
        check(after.state == "done" && after.title == "job 1" && after.id == card.id, "modified")
        try await store.remove(card.id)
        check(await store.count == 2, "removed")
        await store.close()
        check(
            try await eventually {
                do { return try Realm.deleteFiles(for: .defaultConfiguration) } catch {
                    return false
                }
            }, "closed")
    }

    // ACT-03 ACT-17 ACT-18 ACT-19 ACT-20
    @Background public static func globalActor() async throws {
        let realm = try await Realm(actor: Background.shared)
        try await realm.asyncWrite { _ = realm.create(Job.self, value: ["title": "night"]) }
        for _ in 0..<5 {
            try await Task.sleep(nanoseconds: 1_000_000)
            check(realm.objects(Job.self).count == 1, "there after a hop")
        }
        let again = try await Realm.open()
        check(again == realm, "of the actor that asks")
    }

    // ACT-21 ACT-22
    public static func isolatedParameter() async throws {
        func both(in s: isolated Store) async throws {
            try s.realm.write {
                s.realm.create(Job.self, value: ["title": "x", "assignee": "y", "state": "z"])
            }
            check(s.count == 1, "no await")
        }
        let store = try await Store()
        try await both(in: store)
        check(await store.count == 1, "with await")
        await store.close()
    }

    // ACT-29 ACT-30 ACT-31 ACT-32
    @MainActor public static func referenceAcrossActors() async throws {
        let realm = try await Realm()
        let job = try await realm.asyncWrite {
            realm.create(Job.self, value: ["title": "go", "assignee": "n", "state": "o"])
        }
        let ref = ThreadSafeReference(to: job)
        try await Janitor().remove(ref)
        check(ref.isInvalidated, "spent")
        await realm.asyncRefresh()
        check(job.isInvalidated && realm.objects(Job.self).isEmpty, "removed")
    }

    // ACT-33 ACT-34 ACT-36
    @MainActor public static func primaryKeyAcrossActors() async throws {
        func make(in actor: isolated Janitor) async throws -> ObjectId {
            let r = try await Realm.open()
            let job = try await r.asyncWrite {
                r.create(Job.self, value: ["title": "pk", "assignee": "p", "state": "o"])
            }
            return job._id
        }
        let janitor = Janitor()
        let id = try await make(in: janitor)
        let realm = try await Realm()
        check(realm.object(ofType: Job.self, forPrimaryKey: id) != nil, "found on main")
    }

    /// The notifications that an observer received.
    actor Heard {
        private(set) var lines: [String] = []
        func note(_ line: String) { lines.append(line) }
    }

    // ACT-38 ACT-39 ACT-43 ACT-48 ACT-50 ACT-51 ACT-57
    @MainActor public static func observeCollection() async throws {
        let (watcher, heard, realm) = (Janitor(), Heard(), try await Realm())
        try await realm.asyncWrite {
            _ = realm.create(
                Job.self,
                value: ["_id": ObjectId.generate(), "title": "arrive", "state": "o"]
                    as [String: Any])
        }
        let all = realm.objects(Job.self)
        let token = await all.observe(
            on: watcher,
            { actor, change in
                actor.assertIsolated()
                switch change {
                case .initial(let c): note("initial \(c.count)")
                case .update(let c, let deletions, let insertions, let modifications):
                    note("\(c.count) \(deletions) \(insertions) \(modifications)")
                case .error(let e): note(e.localizedDescription)
                }
                func note(_ line: String) { Task { await heard.note(line) } }
            })
        check(try await eventually { await heard.lines == ["initial 1"] }, "initial")
        let first = all.where { $0.title == "arrive" }.first!
        try await watcher.remove(ThreadSafeReference(to: first))
        check(
            try await eventually { await heard.lines == ["initial 1", "0 [0] [] []"] },
            "one deletion: \(await heard.lines)")
        token.invalidate()
        try await realm.asyncWrite { _ = realm.create(Job.self, value: ["title": "late"]) }
        try await Task.sleep(nanoseconds: 50_000_000)
        check(await heard.lines.count == 2, "nothing any more")
    }

    // ACT-52 ACT-53 ACT-54 ACT-55 ACT-56
    @MainActor public static func observeObject() async throws {
        let (watcher, heard, realm) = (Janitor(), Heard(), try await Realm())
        let job = try await realm.asyncWrite {
            let job = realm.create(Job.self, value: ["title": "t", "state": "open"])
            job.next = realm.create(Job.self, value: ["title": "n", "state": "open"])
            return job
        }
        let tokens = [
            await job.observe(
                on: watcher, { (actor, change: ObjectChange<Job>) in hear(actor, change, "all") }),
            await job.observe(
                keyPaths: ["state"], on: watcher,
                { (actor, change: ObjectChange<Job>) in hear(actor, change, "state") }),
            await job.observe(
                keyPaths: [\Job.next?.state], on: watcher,
                { (actor, change: ObjectChange<Job>) in hear(actor, change, "next") }),
        ]
        @Sendable func hear(_ actor: Janitor, _ change: ObjectChange<Job>, _ who: String) {
            switch change {
            case .change(let job, let changes):
                for change in changes {
                    let line = "\(who) \(change.name) \(change.newValue ?? "-") \(job.state)"
                    Task { await heard.note(line) }
                }
            case .deleted: Task { await heard.note("\(who) deleted") }
            case .error: return
            }
        }
        try await realm.asyncWrite { job.state = "done" }
        check(
            try await eventually {
                Set(await heard.lines).isSuperset(of: [
                    "all state done done", "state state done done",
                ])
            }, "state: \(await heard.lines)")
        try await realm.asyncWrite { job.next?.state = "done" }
        check(
            try await eventually { await heard.lines.contains { $0.hasPrefix("next next") } },
            "next: \(await heard.lines)")
        check(await !heard.lines.contains { $0.hasPrefix("all next") }, "not for all")
        try await realm.asyncWrite { realm.delete(job) }
        check(try await eventually { await heard.lines.contains("all deleted") }, "deleted")
        for token in tokens { token.invalidate() }
    }

    // ACT-44 ACT-24
    @MainActor public static func refreshAsynchronously() async throws {
        let realm = try await Realm()
        realm.autorefresh = false
        let before = realm.objects(Job.self).count
        let store = try await Store()
        try await store.create(title: "b", assignee: "c")
        check(realm.objects(Job.self).count == before, "stale")
        check(await realm.asyncRefresh(), "newer")
        check(realm.objects(Job.self).count == before + 1, "fresh")
        check(await !realm.asyncRefresh(), "nothing newer")
        realm.autorefresh = true
        await store.close()
    }

    // ACT-23 ACT-25 ACT-42
    @MainActor public static func writesSuspend() async throws {
        let realm = try await Realm()
        let (begun, ended) = (Counter(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            let other = try! Realm()
            other.beginWrite()
            begun.add()
            ended.wait()
            other.add(Gear(value: ["label": "first"]))
            try! other.commitWrite()
        }
        check(try await eventually { begun.value == 1 }, "another writes")
        let turns = Counter()
        let ticking = Task { @MainActor in
            while !Task.isCancelled {
                turns.add()
                try? await Task.sleep(nanoseconds: 500_000)
                if turns.value == 20 { ended.signal() }
            }
        }
        try await realm.asyncWrite {
            check(realm.objects(Gear.self).count == 1, "after the other")
            check(turns.value >= 20, "others ran meanwhile")
        }
        ticking.cancel()
    }
}
