@_spi(Testing) import RealmSwift
import Testing

/// An accessor keeps the realm it is of, whatever way it came about, and lets go of it with itself.
@Suite struct AccessorLifeTests {
    private let lab: RealmLab
    private var path: String { lab.configuration.fileURL!.path }

    init() throws { lab = try RealmLab([Mark.self, Relic.self]) }

    enum Way: CaseIterable {
        case added, found, linked, iterated, dynamic
    }

    private func objects(_ way: Way) throws -> [ObjectBase] {
        let realm = try lab.open()
        let first = Mark()
        try realm.write {
            realm.add(first)
            first.next = realm.create(Mark.self, value: ["number": 1])
            // More than references are counted at a time.
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

    @Test(arguments: Way.allCases) func keepsItsRealm(_ way: Way) throws {
        var kept = try objects(way)
        // The last of them is enough.
        while let last = kept.last {
            #expect(RealmTesting.hasCachedRealm(atPath: path))
            if kept.count == 1 { #expect(last.realm?.isEmpty == false && !last.isInvalidated) }
            #expect(last.value(forKey: "number") is Int)
            kept.removeLast()
        }
        #expect(!RealmTesting.hasCachedRealm(atPath: path))
    }

    /// What a holder has to find its value by counts as its object does.
    @Test func holders() throws {
        func holder() throws -> RealmProperty<Int?> {
            let realm = try lab.open()
            let relic = Relic(value: ["number": 7])
            try realm.write { realm.add(relic) }
            return relic.number
        }
        var number: RealmProperty<Int?>? = try holder()
        #expect(number?.value == 7 && RealmTesting.hasCachedRealm(atPath: path))
        number = nil
        #expect(!RealmTesting.hasCachedRealm(atPath: path))
    }

    /// Ends on another thread than it began on.
    @Test func frozen() async throws {
        func frozen() throws -> [Mark] {
            let realm = try lab.open()
            try realm.write { for i in 0..<200 { realm.create(Mark.self, value: ["number": i]) } }
            return Array(realm.freeze().objects(Mark.self))
        }
        nonisolated(unsafe) var kept = try frozen()
        #expect(!RealmTesting.hasCachedRealm(atPath: path))
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

    /// An accessor that its realm let go of has its memory still.
    @Test func invalidated() throws {
        var kept = try objects(.iterated)
        kept[0].realm?.invalidate()
        #expect(kept.allSatisfy { $0.isInvalidated && $0.realm != nil })
        kept = []
        #expect(!RealmTesting.hasCachedRealm(atPath: path))
    }
}
