import Foundation
import RealmSwift

/// Queues, threads, and values passed between them (T2 to T8).
extension Samples {
    // THR-33 THR-42 THR-44
    public static func serialQueue() async throws {
        let q = DispatchQueue(label: "store")
        let first = Counter()
        try await on(q) {
            let realm = try Realm(configuration: .defaultConfiguration, queue: q)
            try realm.write { realm.add(Hiker(name: "Bo")) }
            check(realm.objects(Hiker.self).count >= 1, "visible")
            first.add()
        }
        // Another block of the queue, possibly on another thread.
        try await on(q) {
            let realm = try Realm(configuration: .defaultConfiguration, queue: q)
            check(realm.objects(Hiker.self).first?.name == "Bo", "there again")
            first.add()
        }
        check(first.value == 2, "both ran")
    }

    static func slowName() async -> String { "Cleo" }

    @MainActor static func rename(@ThreadSafe hiker: Hiker?) async throws {
        let fresh = await slowName()
        let realm = try await Realm()
        try realm.write { hiker?.name = fresh }
    }

    // THR-46 THR-47 THR-52 THR-53
    @MainActor public static func wrappedParameter() async throws {
        let realm = try await Realm()
        let h = Hiker(name: "Cy")
        try realm.write { realm.add(h) }
        try await rename(hiker: h)
        check(h.name == "Cleo", "renamed")
    }

    // THR-48 THR-49 THR-50 THR-51
    @MainActor public static func wrappedVariable() async throws {
        let realm = try await Realm()
        let (keyed, plain) = (Hiker(name: "Kim"), Gear(value: ["label": "rope"]))
        try realm.write { realm.add([keyed, plain]) }
        let (hiker, gear) = (ThreadSafe(wrappedValue: keyed), ThreadSafe(wrappedValue: plain))
        let q = DispatchQueue(label: "work", autoreleaseFrequency: .workItem)
        for i in 0..<100 {
            try await on(q) {
                let realm = try Realm(configuration: .defaultConfiguration)
                try realm.write {
                    guard let h = hiker.wrappedValue, let g = gear.wrappedValue else { return }
                    (h.name, g.grams) = ("Kim \(i)", i)
                }
            }
        }
        realm.refresh()
        check(keyed.name == "Kim 99" && plain.grams == 99, "each use")
        try realm.write { realm.delete([keyed, plain]) }
        check(hiker.wrappedValue == nil && gear.wrappedValue == nil, "deleted")
    }

    #if swift(<6)
        // THR-50 in the spelling of Swift 5.
        public static func wrappedLocalVariable() async throws {
            let q = DispatchQueue(label: "work", autoreleaseFrequency: .workItem)
            let realm = try open()
            let hiker = Hiker(name: "Lu")
            try realm.write { realm.add(hiker) }
            @ThreadSafe var ref = hiker
            q.sync {
                let realm = try! Realm()
                try! realm.write {
                    guard let h = ref else { return }
                    h.name = "Lou"
                }
            }
            realm.refresh()
            check(hiker.name == "Lou", "renamed")
        }

        private static func open() throws -> Realm {
            try Realm(configuration: .defaultConfiguration, queue: nil)
        }
    #endif

    // THR-54 THR-55 THR-56
    @MainActor public static func reference() async throws {
        let realm = try await Realm()
        let h = Hiker(name: "Di")
        try realm.write {
            realm.add(h)
            h.gear.append(Gear(value: ["label": "axe"]))
        }
        let ref = ThreadSafeReference(to: h)
        let list = ThreadSafeReference(to: h.gear)
        let results = ThreadSafeReference(to: realm.objects(Hiker.self).where { $0.name == "Di" })
        let q = DispatchQueue(label: "other")
        try await on(q) {
            let mine = try Realm()
            check(mine.resolve(list)?.first?.label == "axe", "list")
            check(mine.resolve(results)?.count == 1, "results")
            try mine.write {
                guard let found = mine.resolve(ref) else { return }
                found.name = "Dina"
            }
            check(ref.isInvalidated, "spent")
        }
        realm.refresh()
        check(h.name == "Dina", "refreshed")
        let gone = ThreadSafeReference(to: h)
        try realm.write { realm.delete(h) }
        try await on(q) {
            // A realm without a version yet would begin at the version of the reference.
            let mine = try Realm()
            mine.refresh()
            check(mine.resolve(gone) == nil, "deleted")
        }
    }

    // THR-57 THR-58 THR-59
    @MainActor public static func inBackground() async throws {
        let realm = try await Realm()
        try realm.write {
            for i in 0..<10 {
                realm.add(Letter(value: ["seen": i % 2 == 0, "subject": "\(i)"] as [String: Any]))
            }
        }
        realm.inBackground(realm.objects(Letter.self).where { $0.seen == true }) { r, letters in
            if let letters { r.delete(letters) }
        }
        check(
            try await eventually {
                realm.refresh()
                return realm.objects(Letter.self).count == 5
            }, "read letters are gone")
        check(realm.objects(Letter.self).allSatisfy { !$0.seen }, "unread ones are there")
    }

    // THR-61 THR-63 THR-64
    public static func refresh() async throws {
        try await onThread {
            let realm = try Realm()
            let before = realm.objects(Gear.self).count
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let other = try! Realm()
                try! other.write { other.add(Gear(value: ["label": "new"])) }
                done.signal()
            }
            done.wait()
            check(realm.objects(Gear.self).count == before, "stale")
            realm.autorefresh = false
            if !realm.autorefresh { check(realm.refresh(), "newer") }
            check(realm.objects(Gear.self).count == before + 1, "fresh")
            check(!realm.refresh(), "nothing newer")
        }
    }
}

extension Realm {
    /// The guide's extension: passes one confined value to a realm on another queue.
    func inBackground<C: ThreadConfined>(
        _ confined: C, onError: @escaping @Sendable (Swift.Error) -> Void = { _ in },
        _ body: @escaping @Sendable (Realm, C?) -> Void
    ) {
        let ref = ThreadSafeReference(to: confined)
        let config = configuration
        DispatchQueue(label: "bg", autoreleaseFrequency: .workItem).async {
            do {
                let r = try Realm(configuration: config)
                try r.write { body(r, r.resolve(ref)) }
            } catch { onError(error) }
        }
    }
}
