import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Accessors retain their realm, however they were created, and release it when they are destroyed.
@Suite struct AccessorLifeTests {
    private let lab: RealmLab
    private var path: String { lab.configuration.fileURL!.path }

    init() throws { lab = try RealmLab([Mark.self, Relic.self]) }

    enum Way: CaseIterable {
        case added, found, linked, iterated, dynamic
    }

    /// Returns whether the realm is released, after some seconds at most: the thread that listens for
    /// commits may retain it for a moment.
    private func isRealmReleased() -> Bool {
        for _ in 0..<500 {
            if !RealmTesting.hasCachedRealm(atPath: path) { return true }
            usleep(10_000)
        }
        return false
    }

    private func objects(_ way: Way) throws -> [ObjectBase] {
        let realm = try lab.open()
        let first = Mark()
        try realm.write {
            realm.add(first)
            first.next = realm.create(Mark.self, value: ["number": 1])
            // More objects than the 64 for whose accessors references are counted at once.
            for i in 2..<200 { realm.create(Mark.self, value: ["number": i]) }
        }
        switch way {
        case .added: return [first]
        case .found: return [realm.objects(Mark.self)[0]]
        case .linked: return [first.next!]
        case .iterated: return realm.objects(Mark.self).map { $0 }
        case .dynamic: return Array(realm.dynamicObjects("Mark"))
        }
    }

    @Test(arguments: Way.allCases) func anAccessorRetainsItsRealm(_ way: Way) throws {
        var kept = try objects(way)
        // One remaining accessor keeps the realm alive.
        while let last = kept.last {
            #expect(RealmTesting.hasCachedRealm(atPath: path))
            if kept.count == 1 { #expect(last.realm?.isEmpty == false && !last.isInvalidated) }
            #expect(last.value(forKey: "number") is Int)
            kept.removeLast()
        }
        #expect(isRealmReleased())
    }

    /// A `RealmProperty` keeps the realm of its object open after the object is released.
    @Test func aHolderRetainsItsRealm() throws {
        func holder() throws -> RealmProperty<Int?> {
            let realm = try lab.open()
            let relic = Relic(value: ["number": 7])
            try realm.write { realm.add(relic) }
            return relic.number
        }
        var number: RealmProperty<Int?>? = try holder()
        #expect(number?.value == 7 && RealmTesting.hasCachedRealm(atPath: path))
        number = nil
        #expect(isRealmReleased())
    }

    /// Accessors of frozen objects may be released on other threads than the one that created them.
    @Test func frozenAccessorsAreReleasedOnAnotherThread() async throws {
        func frozen() throws -> [Mark] {
            let realm = try lab.open()
            try realm.write { for i in 0..<200 { realm.create(Mark.self, value: ["number": i]) } }
            return Array(realm.freeze().objects(Mark.self))
        }
        nonisolated(unsafe) var kept = try frozen()
        #expect(isRealmReleased())
        await withTaskGroup(of: Int.self) { group in
            for part in 0..<4 {
                let mine = Array(kept[(part * 50)..<(part * 50 + 50)])
                nonisolated(unsafe) let objects = mine
                group.addTask { objects.reduce(0) { $0 + $1.number } }
            }
            kept = []
            var sum = 0
            for await part in group { sum += part }
            #expect(sum == 19_900)
        }
    }

    /// After `invalidate()`, accessors still retain their realm, and they can be released.
    @Test func invalidatedAccessorsCanBeReleased() throws {
        var kept = try objects(.iterated)
        kept[0].realm?.invalidate()
        #expect(kept.allSatisfy { $0.isInvalidated && $0.realm != nil })
        kept = []
        #expect(isRealmReleased())
    }
}
