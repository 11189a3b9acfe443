import Foundation
import RealmSwift

/// Writes that do not block the calling thread (T1, T1b).
extension Samples {
    // THR-11 THR-12 THR-13 THR-16 THR-17 THR-22
    @MainActor public static func writeAsync() async throws {
        let realm = try await Realm()
        try realm.write { realm.add(Hiker(name: "Ada")) }
        let target = realm.objects(Hiker.self).where { $0.name == "Ada" }.first
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            realm.writeAsync {
                target?.gear.append(objectsIn: [
                    Gear(value: ["label": "rope", "grams": 900]),
                    Gear(value: ["label": "axe", "grams": 600]),
                ])
            } onComplete: { error in
                check(error == nil, "ok")
                check(target!.gear.count == 2, "live object updated")
                check(
                    realm.objects(Gear.self).where { $0.label == "rope" }.count == 1,
                    "query sees it")
                done.resume()
            }
            check(realm.isPerformingAsynchronousWriteOperations, "flag")
            check(target!.gear.isEmpty, "not before")
        }
        check(
            try await eventually { !realm.isPerformingAsynchronousWriteOperations }, "flag is gone")
        // Modifies and deletes in the same way.
        try await finished(realm) { target!.name = "Bea" }
        check(target!.name == "Bea", "modified")
        try await finished(realm) { realm.delete(target!) }
        check(realm.objects(Hiker.self).isEmpty, "deleted")
        // Cancelled before its block has begun.
        let id = realm.writeAsync { realm.add(Gear(value: ["label": "never"])) }
        try realm.cancelAsyncWrite(id)
        try await finished(realm) {}
        check(realm.objects(Gear.self).where { $0.label == "never" }.isEmpty, "cancelled")
    }

    /// Makes an asynchronous write and waits for its completion.
    @MainActor private static func finished(
        _ realm: Realm, _ block: @escaping () -> Void
    ) async throws {
        try await withCheckedThrowingContinuation {
            (done: CheckedContinuation<Void, Swift.Error>) in
            realm.writeAsync(block) { error in
                done.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    // THR-18 THR-19 THR-20 THR-21 THR-25 THR-26 THR-27 THR-29 THR-31 THR-32
    @MainActor public static func beginAsyncWrite() async throws {
        let realm = try await Realm()
        func gear(_ label: String) -> Int {
            realm.objects(Gear.self).where { $0.label == label }.count
        }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            realm.beginAsyncWrite {
                realm.add(Gear(value: ["label": "committed"]))
                realm.commitAsyncWrite(allowGrouping: true) { error in
                    check(error == nil, "durable")
                    done.resume()
                }
                check(gear("committed") == 1, "visible at once")
                check(realm.isPerformingAsynchronousWriteOperations, "flag after commit")
            }
            check(realm.isPerformingAsynchronousWriteOperations, "flag after begin")
        }
        // Without a commit nothing is stored.
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            realm.beginAsyncWrite {
                realm.add(Gear(value: ["label": "forgotten"]))
                DispatchQueue.main.async { done.resume() }
            }
        }
        check(gear("forgotten") == 0, "taken back")
        // Cancelled before its block has begun.
        let never = Counter()
        let id = realm.beginAsyncWrite { never.add() }
        try realm.cancelAsyncWrite(id)
        // Cancelling a commit drops its completion only.
        realm.beginWrite()
        realm.add(Gear(value: ["label": "silent"]))
        let commit = realm.commitAsyncWrite { _ in never.add() }
        try realm.cancelAsyncWrite(commit)
        try await finished(realm) {}
        check(gear("silent") == 1, "stored")
        check(never.value == 0, "neither was called")
        // If the block itself ends the transaction, the completion is not called.
        realm.writeAsync {
            realm.add(Gear(value: ["label": "inside"]))
            try! realm.commitWrite()
        } onComplete: { _ in
            never.add()
        }
        realm.writeAsync {
            realm.add(Gear(value: ["label": "withdrawn"]))
            realm.cancelWrite()
        } onComplete: { _ in
            never.add()
        }
        try await finished(realm) {}
        check(never.value == 0, "ended by their blocks")
        check(gear("inside") == 1 && gear("withdrawn") == 0, "ended by the block")
    }

    // CD-20 CD-21 THR-14
    @MainActor public static func pendingWritesEnd() async throws {
        let realm = try await Realm()
        for i in 0..<20 { realm.writeAsync { realm.add(Gear(value: ["label": "p", "grams": i])) } }
        check(
            try await eventually { !realm.isPerformingAsynchronousWriteOperations }, "all written")
        realm.beginWrite()
        realm.add(Gear(value: ["label": "last"]))
        realm.commitAsyncWrite()
        realm.invalidate()
        // `invalidate` has waited for the commits, so the file has all objects.
        try await onThread { check(try Realm().objects(Gear.self).count == 21, "all there") }
        check(
            try await eventually { !realm.isPerformingAsynchronousWriteOperations }, "and over")
    }
}
