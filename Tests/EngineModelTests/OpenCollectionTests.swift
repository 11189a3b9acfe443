import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A collection stays open between changes of its elements, as long as nothing else changes.
@Suite struct OpenCollectionTests {
    /// A class with two lists, a set and a dictionary of integers, and a list of links to the
    /// class; nodes have few elements.
    private final class Lab {
        enum Property: Int { case first, second, set, dictionary, links, any }

        let folder: ScratchFolder
        let path: String
        let session: WriteSession
        var transaction: WriteTransaction
        let table: TableKey
        let object: ObjectKey

        init() throws {
            folder = try ScratchFolder()
            path = folder.file("open.realm")
            var fanout = Fanout()
            fanout.tree = 4
            session = try WriteSession(path: path, options: .scratch(fanout))
            transaction = try session.begin()
            table = try transaction.createClass("Thing")
            let kinds: [(String, CollectionKind)] = [
                ("first", .list), ("second", .list), ("set", .set), ("dictionary", .dictionary),
            ]
            for (name, kind) in kinds {
                var spec = PropertySpec(name, .int)
                spec.collection = kind
                try transaction.addProperty(table, spec)
            }
            var links = PropertySpec("links", .link)
            (links.collection, links.target) = (.list, table)
            try transaction.addProperty(table, links)
            try transaction.addProperty(table, PropertySpec("any", .mixed))
            object = try transaction.create(in: table)
        }

        func place(_ property: Property) -> CollectionLocation {
            CollectionLocation(table, object, property.rawValue)
        }

        func elements(_ property: Property) throws -> [Value] {
            let value = try #require(
                try transaction.value(table, object, property.rawValue))
            let snapshot = try transaction.snapshot()
            var elements: [Value] = []
            switch value {
            case .list(let view), .set(let view):
                var cursor = snapshot.elements(of: view)
                while let element = try cursor.next() { elements.append(element) }
            case .dictionary(let view):
                var cursor = try snapshot.entries(of: view)
                while let entry = try cursor.next() { elements.append(entry.value) }
            default: break
            }
            return elements
        }

        func integers(_ property: Property) throws -> [Int] {
            try elements(property).map {
                guard case .int(let number) = $0 else { return -1 }
                return Int(number)
            }
        }

        func insert(_ number: Int, at index: Int, _ property: Property) throws {
            try transaction.insertElement(.int(Int64(number)), at: index, in: place(property))
        }

        func end() throws {
            try transaction.commit()
            try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
        }
    }

    @Test func twoListsMayBeChangedAlternately() throws {
        let lab = try Lab()
        var (first, second): ([Int], [Int]) = ([], [])
        var random = SeededRandom(seed: 7)
        for i in 0..<300 {
            let (a, b) = (
                Int.random(in: 0...first.count, using: &random),
                Int.random(in: 0...second.count, using: &random)
            )
            try lab.insert(i, at: a, .first)
            first.insert(i, at: a)
            // Several changes before the other list changes.
            for j in 0..<i % 3 {
                try lab.insert(j, at: min(a + j, first.count), .first)
                first.insert(j, at: min(a + j, first.count))
            }
            try lab.insert(-i, at: b, .second)
            second.insert(-i, at: b)
            if i % 4 == 3 {
                let gone = Int.random(in: 0..<first.count, using: &random)
                try lab.transaction.removeElement(at: gone, from: lab.place(.first))
                first.remove(at: gone)
            }
        }
        #expect(try lab.integers(.first) == first)
        #expect(try lab.integers(.second) == second)
        try lab.end()
    }

    @Test func readingAfterEachChangeReturnsIt() throws {
        let lab = try Lab()
        for i in 0..<20 {
            try lab.transaction.appendElement(.int(Int64(i)), to: lab.place(.first))
            #expect(try lab.integers(.first) == Array(0...i))
        }
        for i in (0..<20).reversed() {
            try lab.transaction.removeElement(at: 0, from: lab.place(.first))
            #expect(try lab.integers(.first) == Array(20 - i..<20))
        }
        try lab.end()
    }

    @Test func replacingTheElementsClosesTheList() throws {
        let lab = try Lab()
        for i in 0..<9 { try lab.insert(i, at: i, .first) }
        let column = Lab.Property.first.rawValue
        try lab.transaction.setElements(lab.table, lab.object, column, [.int(70), .int(71)])
        try lab.insert(72, at: 2, .first)
        try lab.transaction.appendElements(lab.table, lab.object, column, [.int(73), .int(74)])
        try lab.insert(75, at: 5, .first)
        try lab.transaction.removeAllElements(of: lab.place(.first))
        try lab.insert(76, at: 0, .first)
        #expect(try lab.integers(.first) == [76])
        try lab.end()
    }

    @Test func aRefusedChangeLeavesTheListUnchanged() throws {
        let lab = try Lab()
        for i in 0..<9 { try lab.insert(i, at: i, .first) }
        #expect(throws: RealmError.self) { try lab.insert(9, at: 10, .first) }
        #expect(throws: RealmError.self) {
            try lab.transaction.setElement(.bool(true), at: 0, in: lab.place(.first))
        }
        #expect(throws: RealmError.self) {
            try lab.transaction.insertMember(.int(1), into: lab.place(.first))
        }
        try lab.insert(9, at: 9, .first)
        #expect(try lab.integers(.first) == Array(0..<10))
        try lab.end()
    }

    @Test func theListOfADeletedObjectCannotBeChanged() throws {
        let lab = try Lab()
        for i in 0..<9 { try lab.insert(i, at: i, .first) }
        try lab.transaction.remove(lab.table, lab.object)
        #expect(throws: RealmError.self) { try lab.insert(9, at: 9, .first) }
        #expect(throws: RealmError.self) {
            try lab.transaction.removeAllElements(of: lab.place(.first))
        }
        try lab.end()
    }

    @Test func deletedTargetsAreRemovedFromTheOpenList() throws {
        let lab = try Lab()
        var targets: [ObjectKey] = []
        for _ in 0..<10 { targets.append(try lab.transaction.create(in: lab.table)) }
        func link(_ i: Int) -> Value { .link(ObjectLink(table: lab.table, key: targets[i])) }
        for i in 0..<9 { try lab.transaction.appendElement(link(i), to: lab.place(.links)) }
        for i in [0, 4, 8] { try lab.transaction.remove(lab.table, targets[i]) }
        try lab.transaction.appendElement(link(9), to: lab.place(.links))
        try lab.transaction.removeElement(at: 0, from: lab.place(.links))
        let left = try lab.elements(.links).map { value in
            if case .link(let link) = value { link.key } else { ObjectKey(-1) }
        }
        #expect(left == [2, 3, 5, 6, 7, 9].map { targets[$0] })
        try lab.transaction.removeAllElements(of: lab.place(.links))
        #expect(try lab.elements(.links).isEmpty)
        try lab.end()
    }

    @Test func aSpillAndACommitCloseTheList() throws {
        let lab = try Lab()
        for i in 0..<50 { try lab.insert(i, at: i, .first) }
        try lab.transaction.spill()
        for i in 50..<60 { try lab.insert(i, at: i, .first) }
        #expect(try lab.integers(.first) == Array(0..<60))
        try lab.transaction.commit()
        lab.transaction = try lab.session.begin()
        for i in 60..<70 { try lab.insert(i, at: i, .first) }
        lab.transaction.rollback()
        lab.transaction = try lab.session.begin()
        for i in 60..<65 { try lab.insert(-i, at: 0, .first) }
        #expect(try lab.integers(.first) == (60..<65).map { -$0 }.reversed() + Array(0..<60))
        try lab.end()
    }

    @Test func anAbandonedTransactionReleasesItsTurn() throws {
        let lab = try Lab()
        try lab.transaction.commit()
        var abandoned: WriteTransaction? = try lab.session.begin()
        try abandoned?.appendElement(.int(1), to: lab.place(.first))
        abandoned = nil
        lab.transaction = try lab.session.begin()
        #expect(try lab.integers(.first).isEmpty)
        try lab.end()
    }

    @Test func clearingFreesNestedCollectionsAndTheirLinks() throws {
        let lab = try Lab()
        let change = lab.transaction
        let target = try change.create(in: lab.table)
        let link = Value.link(ObjectLink(table: lab.table, key: target))
        let column = Lab.Property.any.rawValue
        try change.set(lab.table, lab.object, column, try change.makeList([]))
        for i in 0..<20 {
            let inner = try change.makeList([.int(Int64(i)), link, try change.makeList([link])])
            try change.appendElement(i % 2 == 0 ? inner : link, to: lab.place(.any))
        }
        // First one nested list, then the whole collection.
        var nested = lab.place(.any)
        nested.steps = [.index(0)]
        try change.removeAllElements(of: nested)
        try change.appendElement(.int(5), to: nested)
        try change.removeAllElements(of: lab.place(.any))
        #expect(try lab.elements(.any).isEmpty)
        try lab.end()
    }

    @Test func membersAndEntriesAreChangedInAnyOrder() throws {
        let lab = try Lab()
        var random = SeededRandom(seed: 11)
        var (members, entries): (Set<Int>, [String: Int]) = ([], [:])
        for i in 0..<600 {
            let number = Int.random(in: -100..<100, using: &random)
            let key = "key \(number)"
            let (set, dictionary) = (lab.place(.set), lab.place(.dictionary))
            try key.withView { (key) throws(RealmError) in
                if i % 3 == 2 {
                    _ = try lab.transaction.removeMember(.int(Int64(number)), from: set)
                    _ = try lab.transaction.removeEntry(.string(key), from: dictionary)
                } else {
                    _ = try lab.transaction.insertMember(.int(Int64(number)), into: set)
                    _ = try lab.transaction.setEntry(
                        .string(key), to: .int(Int64(i)), in: dictionary)
                }
            }
            if i % 3 == 2 {
                members.remove(number)
                entries[key] = nil
            } else {
                members.insert(number)
                entries[key] = i
            }
        }
        #expect(try lab.integers(.set) == members.sorted())
        #expect(
            try lab.integers(.dictionary)
                == entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map(\.value))
        try lab.end()
    }

    /// Sets of the reference engine contain NaN where it was inserted.
    @Test func nanInSetsOfTheReferenceIsFound() throws {
        let folder = try ScratchFolder()
        let path = folder.file("bags.realm")
        try FileManager.default.copyItem(
            atPath: QueryCases.folder.appending(path: "bags.realm").path, toPath: path)
        var options = WriteSession.Options()
        options.isDurable = false
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let table = try #require(transaction.table(named: "Bag"))
        let view = try transaction.snapshot().table(table)
        let column = try #require(view.info.columns.firstIndex { $0.name == "s_d" })
        var removed = 0
        for key in try view.keys() {
            let place = CollectionLocation(table, key, column)
            if try transaction.removeMember(.double(.nan), from: place) { removed += 1 }
        }
        #expect(removed == 1)
    }
}
