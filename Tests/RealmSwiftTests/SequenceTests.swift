import Foundation
import RealmSwift
import Testing

/// Changes and frozen values as asynchronous sequences.
@Suite struct SequenceTests {
    private func lab() throws -> RealmLab { try RealmLab(RealmTests.types + [Things.self]) }

    /// Waits up to a few seconds until no realm has the file open. Returns whether that happened.
    private func isClosed(_ lab: RealmLab) async throws -> Bool {
        for _ in 0..<2000 {
            do { return try Realm.deleteFiles(for: lab.configuration) } catch Realm.Error
                .alreadyOpen
            {
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }
        return false
    }

    @Test(arguments: [UInt64.random(in: 0..<1 << 32)])
    func changesThatASlowConsumerMissedAreOneChange(seed: UInt64) async throws {
        let lab = try lab()
        let walker = try await Walker(lab.configuration, seed)
        try await walker.followList()
        try await walker.followMap()
        try await walker.followSections()
        await walker.close()
        try lab.check()
    }

    @Test func changesOfAnObjectEndWithItsDeletion() async throws {
        let lab = try lab()
        let walker = try await Walker(lab.configuration, 1)
        #expect(try await walker.followObject() == ["age,name 3 Bo", "deleted", "end"])
        await walker.close()
        try lab.check()
    }

    @Test func changesOfADeletedListEnd() async throws {
        let lab = try lab()
        let walker = try await Walker(lab.configuration, 1)
        #expect(try await walker.followDeletedList() == [[], [0]])
        await walker.close()
        try lab.check()
    }

    @Test func frozenValuesAreIteratedInAnyTask() async throws {
        let lab = try lab()
        let walker = try await Walker(lab.configuration, 1)
        var counts: [Int] = []
        for await dogs in await walker.values {
            #expect(dogs.isFrozen)
            counts.append(dogs.count)
            if dogs.count == 3 { break }
            try await walker.add()
        }
        #expect(counts.first == 0 && counts.last == 3 && counts == counts.sorted())
        await walker.close()
        #expect(try await isClosed(lab))
    }

    @Test func aSlowConsumerGetsTheNewestValue() async throws {
        let lab = try lab()
        let walker = try await Walker(lab.configuration, 1)
        var versions = await walker.versions.makeAsyncIterator()
        #expect(await versions.next()?.objects(Dog.self).count == 0)
        for _ in 0..<5 { try await walker.add() }
        #expect(await versions.next()?.objects(Dog.self).count == 5)
        await walker.close()
        try lab.check()
    }

    @Test func cancellationEndsObservations() async throws {
        let lab = try lab()
        let walker = try await Walker(lab.configuration, 1)
        let tasks = [
            Task { await walker.followForEver() },
            Task {
                for await dogs in await walker.values { withExtendedLifetime(dogs) {} }
            },
        ]
        try await walker.add()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await walker.close()
        #expect(try await isClosed(lab))
    }

    @Test func objectsAndMapsHaveFrozenValues() async throws {
        let lab = try lab()
        let walker = try await Walker(lab.configuration, 1)
        try await walker.add()
        let (objects, maps) = try await walker.sources()
        var (ages, counts): ([Int?], [Int]) = ([], [])
        for await dog in objects {
            ages.append(dog.age)
            if dog.age == 0 { try await walker.setAge(5) } else { try await walker.clear() }
        }
        for await map in maps {
            counts.append(map.count)
            break
        }
        #expect(ages == [0, 5])
        #expect(counts == [0])
        await walker.close()
        try lab.check()
    }

    @Test @MainActor func changesAreIteratedOnTheMainActor() async throws {
        let lab = try lab()
        let realm = try await Realm(configuration: lab.configuration)
        var notes: [String] = []
        for await change in realm.objects(Dog.self).changes(keyPaths: [\.name]) {
            switch change {
            case .initial(let dogs): notes.append("\(dogs.count)")
            case .update(let dogs, _, let insertions, _):
                notes.append("\(insertions) \(dogs[insertions[0]].name)")
            case .error: break
            }
            if notes.count == 2 { break }
            try realm.write { realm.create(Dog.self, value: ["id": 7, "name": "Bo"]) }
        }
        #expect(notes == ["0", "[0] Bo"])
        try lab.check()
    }
}

/// An actor that changes a realm and follows the changes.
actor Walker {
    private var realm: Realm!
    private var random: Generator
    private var lastID = 0

    init(_ configuration: Realm.Configuration, _ seed: UInt64) async throws {
        random = Generator(state: seed)
        print("seed \(seed)")
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var values: RealmSnapshots<Results<Dog>> { realm.objects(Dog.self).values }
    var versions: RealmSnapshots<Realm> { realm.versions }

    func add() throws { try realm.write { realm.add(dog()) } }
    func close() { realm = nil }
    func clear() throws { try realm.write { realm.delete(realm.objects(Dog.self)) } }

    func setAge(_ age: Int) throws {
        try realm.write { realm.objects(Dog.self).first?.age = age }
    }

    func sources() throws -> (RealmSnapshots<Dog>, RealmSnapshots<Map<String, Dog?>>) {
        let things = try realm.write { realm.create(Things.self) }
        return (realm.objects(Dog.self).first!.values, things.dogs.snapshots)
    }

    func followForEver() async {
        for await change in realm.objects(Dog.self).changes { withExtendedLifetime(change) {} }
    }

    private func dog() -> Dog {
        lastID += 1
        return Dog(value: ["id": lastID, "age": 0])
    }

    private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    // MARK: Merged changes

    private struct Shown: Equatable {
        let id: Int
        let age: Int?
        init(_ dog: Dog) { (id, age) = (dog.id, dog.age) }
    }

    /// Applies each reported change of a list to a copy, which must then equal the list.
    func followList() async throws {
        let owner = try realm.write { realm.create(Dog.self, value: ["id": -1]) }
        let list = owner.friends
        var changes = list.changes.makeAsyncIterator()
        guard case .initial? = await changes.next() else {
            Issue.record("no initial change")
            return
        }
        var copy: [Shown] = []
        for _ in 0..<30 {
            // Each write begins by notifying observers of the previous write, so several changes
            // are merged before the next one is received.
            for _ in 0..<1 + number(4) { try realm.write { edit(list) } }
            try realm.write { list.append(dog()) }
            guard
                case .update(let now, let deletions, let insertions, let modifications)? =
                    await changes.next()
            else {
                Issue.record("no change")
                return
            }
            var kept = copy.indices.filter { !deletions.contains($0) }[...]
            let shown = now.map { Shown($0) } as [Shown]
            var merged: [Shown] = []
            for position in shown.indices {
                if !insertions.contains(position), let old = kept.popFirst() {
                    merged.append(modifications.contains(old) ? shown[position] : copy[old])
                } else {
                    merged.append(shown[position])
                }
            }
            #expect(kept.isEmpty && merged == shown)
            copy = shown
        }
    }

    private func edit(_ list: List<Dog>) {
        guard !list.isEmpty else { return list.append(dog()) }
        let place = number(list.count)
        switch number(6) {
        case 0: list.remove(at: place)
        case 1: list[place] = dog()
        case 2: list[place].age = number(1000)
        case 3: realm.delete(list[place])
        case 4: list.move(from: place, to: number(list.count))
        default: list.insert(dog(), at: place)
        }
    }

    /// Applies each reported change of a map to a copy, which must then equal the map.
    func followMap() async throws {
        let map = try realm.write { realm.create(Things.self).names }
        var changes = map.changes.makeAsyncIterator()
        _ = await changes.next()
        var copy: [String: String?] = [:]
        for round in 0..<20 {
            for _ in 0..<1 + number(4) {
                let key = "\(number(4))"
                try realm.write {
                    if number(2) == 0 {
                        map.removeObject(for: key)
                    } else {
                        map[key] = "\(number(9))"
                    }
                }
            }
            try realm.write { map["round \(round)"] = "" }
            guard
                case .update(let now, let deletions, let insertions, let modifications)? =
                    await changes.next()
            else {
                Issue.record("no change")
                return
            }
            for key in deletions { #expect(copy.removeValue(forKey: key) != nil) }
            for key in insertions { #expect(copy.updateValue(now[key]!, forKey: key) == nil) }
            for key in modifications { #expect(copy.updateValue(now[key]!, forKey: key) != nil) }
            #expect(copy.count == now.count && copy.allSatisfy { now[$0.key]! == $0.value })
        }
    }

    /// Applies each reported change of sections to a copy of their keys, which must then equal the
    /// keys of the sections.
    func followSections() async throws {
        try realm.write { realm.deleteAll() }
        let sections = realm.objects(Dog.self).sectioned(by: \.age)
        var changes = sections.changes.makeAsyncIterator()
        _ = await changes.next()
        var keys: [Int?] = []
        for round in 0..<20 {
            for _ in 0..<3 {
                try realm.write {
                    let dogs = realm.objects(Dog.self)
                    if dogs.count > 4 { realm.delete(dogs[number(dogs.count)]) }
                    realm.create(Dog.self, value: ["id": 1000 + lastID, "age": number(5)])
                    lastID += 1
                }
            }
            try realm.write {
                realm.create(Dog.self, value: ["id": -2 - round, "age": 99 + round])
            }
            guard
                case .update(let now, _, _, _, let inserted, let deleted)? = await changes.next()
            else {
                Issue.record("no change")
                return
            }
            for place in deleted.reversed() { keys.remove(at: place) }
            for place in inserted { keys.insert(now[place].key, at: place) }
            #expect(keys == now.map(\.key))
        }
    }

    func followObject() async throws -> [String] {
        let dog = try realm.write { realm.create(Dog.self, value: ["id": 1, "age": 0]) }
        var changes = dog.changes.makeAsyncIterator()
        var notes: [String] = []
        for age in 1...2 { try realm.write { dog.age = age } }
        try realm.write { (dog.name, dog.age) = ("Bo", 3) }
        if case .change(let now, let properties)? = await changes.next() {
            let names = properties.map(\.name).sorted().joined(separator: ",")
            let age = properties.first { $0.name == "age" }?.newValue as? Int
            notes.append("\(names) \(age ?? -1) \(now.name)")
        }
        try realm.write { realm.delete(dog) }
        if case .deleted? = await changes.next() { notes.append("deleted") }
        if await changes.next() == nil { notes.append("end") }
        return notes
    }

    func followDeletedList() async throws -> [[Int]] {
        let owner = try realm.write {
            realm.create(Dog.self, value: ["id": 1, "friends": [["id": 2]]])
        }
        var result: [[Int]] = []
        var changes = owner.friends.changes.makeAsyncIterator()
        while let change = await changes.next() {
            switch change {
            case .initial:
                result.append([])
                try realm.write { realm.delete(owner) }
            case .update(_, let deletions, _, _): result.append(deletions)
            case .error: break
            }
        }
        return result
    }
}

/// A generator that yields the same numbers for the same seed.
private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
