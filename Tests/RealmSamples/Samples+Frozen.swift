import Foundation
import RealmSwift

/// Frozen and thawed values (T9 to T11), and copies.
extension Samples {
    // THR-66 THR-68 THR-70 THR-71 THR-72 THR-79 THR-80 THR-81 THR-82 THR-83
    @MainActor public static func freeze() async throws {
        let realm = try await Realm()
        try realm.write { realm.add(Hiker(name: "Fay")) }
        let snap = realm.freeze()
        let live = realm.objects(Hiker.self)
        let cold = live.freeze()
        check(snap.isFrozen && cold.isFrozen && snap.objects(Hiker.self).isFrozen, "frozen")
        let first = live.first!
        check(!first.realm!.isFrozen, "live")
        let f = first.freeze()
        check(f.isFrozen && f.realm!.isFrozen, "object")
        let warm = f.thaw()
        check(warm?.isInvalidated == false && warm!.realm!.isFrozen == false, "thawed")
        check(first.thaw()! == first && realm.thaw() == realm, "live ones thaw to themselves")
        try warm!.realm!.write { warm!.name = "Eve" }
        check(f.name == "Fay" && cold[0].name == "Fay" && first.name == "Eve", "snapshot unchanged")
        try realm.write { realm.delete(first) }
        check(first.isInvalidated && f.thaw() == nil && f.name == "Fay", "deleted, and frozen")
    }

    // THR-84 THR-85 THR-86
    @MainActor public static func appendThawed() async throws {
        let realm = try await Realm()
        try realm.write {
            realm.add(Hiker(name: "Fay"))
            realm.add(Gear(value: ["label": "axe"]))
        }
        let snap = realm.freeze()
        let iceHiker = snap.objects(Hiker.self).where { $0.name == "Fay" }.first!
        let iceGear = snap.objects(Gear.self).where { $0.label == "axe" }.first!
        let (w, g) = (iceHiker.thaw(), iceGear.thaw())
        try realm.write { w?.gear.append(g!) }
        check(w?.gear.first?.label == "axe", "appended")
        // On another thread.
        struct Frozen: @unchecked Sendable {
            let hiker: Hiker
            let gear: Gear
        }
        let frozen = Frozen(hiker: iceHiker, gear: iceGear)
        try await onThread {
            let (w, g) = (frozen.hiker.thaw(), frozen.gear.thaw())
            try w!.realm!.write { w!.gear.append(g!) }
            check(w!.gear.count == 2, "appended there")
        }
        realm.refresh()
        check(w!.gear.count == 2 && iceHiker.gear.isEmpty, "seen here, and not there")
    }

    // THR-40
    @MainActor public static func copiedOut() async throws {
        let realm = try await Realm()
        let hiker = Hiker(name: "Gus")
        try realm.write {
            realm.add(hiker)
            hiker.gear.append(Gear(value: ["label": "tent", "grams": 2000]))
        }
        let copy = Hiker(value: hiker)
        try realm.write { realm.deleteAll() }
        check(copy.realm == nil && copy.name == "Gus", "lasts")
    }

    // THR-62 THR-34
    public static func movesOnByItself() async throws {
        let q = DispatchQueue(label: "loop")
        struct Held: @unchecked Sendable { let realm: Realm }
        let held: Held = try await withCheckedThrowingContinuation { continuation in
            q.async {
                continuation.resume(
                    with: Result {
                        Held(realm: try Realm(configuration: .defaultConfiguration, queue: q))
                    })
            }
        }
        let before = q.sync { held.realm.objects(Gear.self).count }
        try await onThread {
            let other = try Realm()
            try other.write { other.add(Gear(value: ["label": "seen"])) }
        }
        check(
            try await eventually { q.sync { held.realm.objects(Gear.self).count } == before + 1 },
            "a turn later")
        try await on(q) {
            let again = try Realm(configuration: .defaultConfiguration, queue: q)
            check(again == held.realm, "one for each queue")
        }
    }
}
