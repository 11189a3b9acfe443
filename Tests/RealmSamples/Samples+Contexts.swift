import Foundation
import RealmSwift

/// Translations of Core Data's contexts (C1 to C6).
extension Samples {
    // CD-08 CD-10 CD-11
    public static func keysOnly() async throws {
        try await onThread {
            let realm = try Realm()
            try realm.write { for i in 0..<10 { realm.add(Hiker(name: "\(i)")) } }
        }
        let keys: [ObjectId] = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let realm = try Realm()
                        return realm.objects(Hiker.self).where { $0.name == "7" }
                            .value(forKey: "_id") as! [ObjectId]
                    })
            }
        }
        try await lookUp(keys)
    }

    @MainActor private static func lookUp(_ keys: [ObjectId]) async throws {
        let realm = try await Realm()
        check(keys.count == 1, "one key")
        check(
            realm.object(ofType: Hiker.self, forPrimaryKey: keys[0])?.name == "7", "found on main")
        check(
            realm.object(ofType: Hiker.self, forPrimaryKey: ObjectId.generate()) == nil, "absent")
    }

    // CD-14 CD-15 ACT-49
    @MainActor public static func changeSets() async throws {
        let realm = try await Realm()
        try realm.write {
            for i in 0..<8 { realm.add(Gear(value: ["label": "\(i)", "grams": i])) }
        }
        let all = realm.objects(Gear.self).sorted(byKeyPath: "label")
        var mirror: [String] = []
        var updates = 0
        let token = all.observe { change in
            switch change {
            case .initial(let c): mirror = c.map { "\($0.label) \($0.grams)" }
            case .update(let c, let deletions, let insertions, let modifications):
                for i in deletions.reversed() { mirror.remove(at: i) }
                for i in insertions { mirror.insert("\(c[i].label) \(c[i].grams)", at: i) }
                // Modifications are positions in the previous collection.
                let insertedOrMoved = Set(insertions)
                for i in modifications {
                    let now = place(of: i, deletions, insertions)
                    if !insertedOrMoved.contains(now) {
                        mirror[now] = "\(c[now].label) \(c[now].grams)"
                    }
                }
                updates += 1
            case .error: check(false, "error")
            }
        }
        check(try await eventually { mirror.count == 8 }, "initial")
        try await onThread {
            let other = try Realm()
            let gear = other.objects(Gear.self).sorted(byKeyPath: "label")
            try other.write {
                gear[5].grams = 500
                other.delete(gear[1])
                other.add(Gear(value: ["label": "3b", "grams": 35]))
            }
        }
        check(try await eventually { updates == 1 }, "told once: \(updates)")
        check(mirror == all.map { "\($0.label) \($0.grams)" }, "replayed: \(mirror)")
        token.invalidate()
    }

    /// Position of an element after the change, from its position before it.
    private static func place(of old: Int, _ deletions: [Int], _ insertions: [Int]) -> Int {
        var now = old - deletions.count { $0 < old }
        for i in insertions where i <= now { now += 1 }
        return now
    }

    // CD-17 CD-18
    @MainActor public static func backgroundFetch() async throws {
        let realm = try await Realm()
        try realm.write {
            for i in 0..<20_000 {
                realm.add(
                    Gear(value: ["label": "g", "grams": (i * 7919) % 20_011] as [String: Any]))
            }
        }
        let reference: ThreadSafeReference<Results<Gear>> =
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let sorted = try Realm().objects(Gear.self).where { $0.grams >= 10 }
                                .sorted(byKeyPath: "grams")
                            check(sorted.count > 19_900, "all but a few")
                            return ThreadSafeReference(to: sorted)
                        })
                }
            }
        let page = Array(realm.resolve(reference)!.prefix(10)).map(\.grams)
        check(page == page.sorted() && page.first! >= 10, "the first page")
    }

    // CD-09
    public static func unsavedIsUnknown() async throws {
        try await onThread {
            let realm = try Realm()
            let hiker = Hiker(name: "new")
            let id = hiker._id
            realm.beginWrite()
            realm.add(hiker)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let other = try! Realm()
                check(other.object(ofType: Hiker.self, forPrimaryKey: id) == nil, "not yet")
                done.signal()
            }
            done.wait()
            try realm.commitWrite()
            Thread.detachNewThread {
                let other = try! Realm()
                check(other.object(ofType: Hiker.self, forPrimaryKey: id) != nil, "now")
                done.signal()
            }
            done.wait()
        }
    }

    // CD-29
    public static func droppedInsideWrite() async throws {
        try await onThread {
            try autoreleasepool {
                let realm = try Realm()
                realm.beginWrite()
                realm.add(Gear(value: ["label": "lost"]))
            }
            let realm = try Realm()
            try realm.write { check(realm.objects(Gear.self).isEmpty, "rolled back") }
        }
    }

    // CD-06
    public static func operations() async throws {
        final class Work: Operation, @unchecked Sendable {
            override func main() {
                let realm = try! Realm()
                try! realm.write { realm.add(Gear(value: ["label": "operation"])) }
            }
        }
        try await onThread {
            let queue = OperationQueue()
            queue.addOperations([Work(), Work()], waitUntilFinished: true)
            check(try Realm().objects(Gear.self).count == 2, "both")
        }
    }
}
