import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Remnants of earlier versions, compared with a known history.
@Suite struct RemnantTests {
    /// Changes to a file: number of objects, changed or deleted share, number of commits, and
    /// number of further commits.
    struct History: CustomTestStringConvertible, Sendable {
        let objects: Int
        let percent: Int
        let deletes: Bool
        let commits: Int
        let further: Int

        var testDescription: String {
            "\(objects) objects, \(percent) % \(deletes ? "deleted" : "changed") in \(commits) commits, "
                + "then \(further)"
        }
    }

    static let histories = [1, 10, 50].flatMap { percent in
        [true, false].flatMap { deletes in
            [(1, 0), (10, 0), (1, 10), (10, 10), (100, 100)].map { commits, further in
                History(
                    objects: 600, percent: percent, deletes: deletes, commits: commits,
                    further: further)
            }
        }
    }

    /// Every remnant that is reported as whole existed; every state whose nodes are all intact is
    /// reported as whole; all states of the previous version are found.
    @Test(arguments: histories) func wholeRemnantsExistedAndAllIntactOnesAreFound(
        _ history: History
    ) throws {
        try Self.check(KnownHistory(history.objects), history)
    }

    /// Inner nodes of several levels are freed and reused. A node above a leaf may then belong to
    /// another version and yield wrong keys; the keys of the leaf must still be found.
    @Test func leavesBelowReusedInnerNodesHaveTheirKeys() throws {
        var fanout = Fanout()
        fanout.clusterInner = 4
        for commits in [2, 10] {
            let history = History(
                objects: 2000, percent: 10, deletes: true, commits: commits, further: 10)
            try Self.check(KnownHistory(history.objects, fanout: fanout), history)
        }
    }

    private static func check(_ file: KnownHistory, _ history: History) throws {
        try file.make()
        try file.change(history)
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        let database = try Database(immutable: file.path)
        let found = try file.remnants(database)
        let whole = found.filter { $0.certainty == .whole }
        for state in whole {
            #expect(file.ever.contains(state.values), "invented: \(state.values)")
        }
        let lost = try file.intactStates(in: bytes)
        let known = Set(whole.map(\.values))
        let missed = lost.filter { !known.contains($0) }
        #expect(missed.isEmpty, "\(missed.count) of \(lost.count), as \(missed.first ?? "")")
        let previous = try file.states(try database.at(.previous)).subtracting(
            file.states(database))
        #expect(previous.isSubset(of: known))
        #expect(try Data(contentsOf: URL(filePath: file.path)) == bytes)
    }

    @Test func compactedFilesHaveNoRemnants() throws {
        let file = KnownHistory(100)
        try file.make()
        try file.change(
            History(objects: 100, percent: 50, deletes: true, commits: 2, further: 0))
        let copy = ScratchDatabase()
        try copy.compact(try Database(immutable: file.path))
        let database = try Database(immutable: copy.path)
        #expect(try file.remnants(database).isEmpty)
        let remnants = try Remnants(database, spillingInto: NSTemporaryDirectory())
        #expect(remnants.unusedBytes == 0 && remnants.views.count == 1)
    }

    /// A memory limit affects only how much is stored in temporary files, not the result.
    @Test func entriesAreSortedInFilesAsInMemory() throws {
        let scratch = ScratchDatabase()
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: scratch.path, options: options)
        let snapshot = session.database.snapshot()
        let memory = SearchMemoryLimit(limit: 1 << 20, spillingInto: NSTemporaryDirectory())
            .sorting(snapshot)
        var random = SeededRandom(seed: 3)
        var entries: [RemnantEntry] = []
        for i in 0..<2000 {
            let key = Int64.random(in: -1..<300, using: &random)
            let digest = UInt64.random(in: 0..<3, using: &random)
            let version = UInt64.random(in: 0..<3, using: &random)
            let certainty: Remnant.Certainty = i % 3 == 0 ? .partial : .whole
            entries.append(
                RemnantEntry(
                    key: ObjectKey(key), digest: digest, version: version,
                    offset: UInt64(8 * i), piece: Int32(i), changed: 0, missing: 0, row: 0,
                    state: .deleted, certainty: certainty))
        }
        func sorted(most: Int) throws -> [Int32] {
            let sorter = RecordSorter<RemnantEntry>(memory, most: most)
            for entry in entries { try sorter.append(entry) }
            var found: [RemnantEntry] = []
            try sorter.visit { entry in
                found.append(entry)
                return true
            }
            for (a, b) in zip(found, found.dropFirst()) { #expect(a.compare(b) < 0) }
            let first = found.firstIndex { $0.key == .none } ?? found.count
            #expect(found[first...].allSatisfy { $0.key == .none })
            return found.map(\.piece)
        }
        let whole = try sorted(most: 4000)
        #expect(whole.count == entries.count)
        for most in [1, 100, 1999, 2000] { #expect(try sorted(most: most) == whole) }
    }

    /// A search with little memory finds the same as a search with much memory.
    @Test func littleMemory() throws {
        let file = KnownHistory(3000)
        try file.make()
        try file.change(
            History(objects: 3000, percent: 50, deletes: true, commits: 4, further: 2))
        let database = try Database(immutable: file.path)
        let all = try file.remnants(database)
        let some = try file.remnants(database, maxMemory: 192 << 10)
        #expect(all.count > 500)
        #expect(all.map(\.values) == some.map(\.values))
        let shared = try file.remnants(database, threads: 4)
        #expect(shared.map(\.values) == all.map(\.values))
        #expect(shared.map(\.offset) == all.map(\.offset))
    }

    @Test func anEncryptedFileIsSearchedWithItsKey() throws {
        let bytes = (0..<64).map { UInt8($0) }
        let key = try bytes.withUnsafeBytes { try EncryptionKey($0) }
        let file = KnownHistory(300, key: key)
        try file.make()
        try file.change(
            History(objects: 300, percent: 10, deletes: true, commits: 3, further: 2))
        let database = try Database(immutable: file.path, key: key)
        let found = try file.remnants(database)
        #expect(!found.isEmpty)
        for state in found where state.certainty == .whole {
            #expect(file.ever.contains(state.values))
        }
        let older = try database.at(VersionChoice.previous)
        let previous = try file.states(older).subtracting(file.states(database))
        let values = Set(found.map { $0.values })
        #expect(previous.isSubset(of: values))
    }

    /// A commit that was killed between a page's entry and the page leaves the page with the entry's older
    /// counter. Blocks that fit neither counter are skipped.
    @Test func pagesAreReadWithTheirOlderCounters() throws {
        let key = try EncryptedImage.key()
        let file = KnownHistory(300)
        try file.make()
        try file.change(
            History(objects: 300, percent: 30, deletes: true, commits: 3, further: 2))
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file.path)))
        let expected = try file.remnants(Database(immutable: file.path))
        var image = EncryptedImage(of: bytes, key)
        let noise = (0..<EncryptedImage.page).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 5) }
        for page in 0..<image.pages { image.write(noise, page: page, entryOnly: true) }
        func found(_ image: EncryptedImage) throws -> [KnownHistory.Found] {
            let path = try image.saved()
            defer { try? FileManager.default.removeItem(atPath: path) }
            return try file.remnants(Database(immutable: path, key: key))
        }
        #expect(expected.count > 10)
        #expect(try found(image).map(\.values) == expected.map(\.values))

        let snapshot = try Database(immutable: file.path).snapshot()
        let chunks = try FreeSpace.chunks(snapshot.lookup, try #require(snapshot.state.top))
        var damaged = 0
        for page in 1..<image.pages {
            let start = UInt64(page * EncryptedImage.page)
            let end = start + UInt64(EncryptedImage.page)
            guard chunks.contains(where: { $0.start <= start && end <= $0.end }) else { continue }
            image.bytes[EncryptedLayout.position(ofPage: page) + 100] ^= 1
            damaged += 1
        }
        #expect(damaged > 0)
        let rest = try found(image)
        #expect(rest.count < expected.count)
        let whole = Set(expected.filter { $0.certainty == .whole }.map(\.values))
        for state in rest where state.certainty == .whole { #expect(whole.contains(state.values)) }
    }

    /// No damage makes the search crash or hang, and its results can be read.
    @Test(arguments: 0..<8) func damagedFilesAreSearchedSafely(_ shard: Int) throws {
        for index in stride(from: shard, to: HostileFileTests.count / 20, by: 8) {
            let (_, file) = HostileFileTests.mutated(index)
            file.bytes.withUnsafeBytes { bytes in
                guard
                    let database = try? Database(MappedFile(copying: bytes, path: "hostile")),
                    let remnants = try? Remnants(
                        database, spillingInto: NSTemporaryDirectory(), maxMemory: 1 << 22)
                else { return }
                for position in remnants.classes.indices {
                    try? remnants.visit(position) { _ in true }
                }
            }
        }
    }

    /// Noise in the free space of a valid file never produces a whole remnant that did not exist.
    @Test func noiseInFreeSpaceGivesNoWholeRemnant() throws {
        let file = KnownHistory(300)
        try file.make()
        try file.change(
            History(objects: 300, percent: 30, deletes: true, commits: 5, further: 5))
        let sound = [UInt8](try Data(contentsOf: URL(filePath: file.path)))
        let database = try Database(immutable: file.path)
        let snapshot = database.snapshot()
        let chunks = try FreeSpace.chunks(
            snapshot.lookup, try #require(snapshot.state.top))
        defer { withExtendedLifetime(snapshot) {} }
        var random = SeededRandom(seed: 47)
        for _ in 0..<40 {
            var bytes = sound
            for _ in 0..<8 {
                let chunk = try #require(chunks.randomElement(using: &random))
                let at = Int(chunk.start + UInt64.random(in: 0..<chunk.count, using: &random))
                let count = min(Int.random(in: 1...64, using: &random), Int(chunk.end) - at)
                let from = Int.random(in: 0..<bytes.count - count, using: &random)
                for i in 0..<count { bytes[at + i] = sound[from + i] }
            }
            try bytes.withUnsafeBytes { raw in
                let database = try Database(MappedFile(copying: raw, path: "noise"))
                for state in try file.remnants(database) where state.certainty == .whole {
                    let isChunk = chunks.contains {
                        $0.start <= state.offset && state.offset < $0.end
                    }
                    #expect(file.ever.contains(state.values) || isChunk)
                }
            }
        }
    }
}

/// A file all of whose states are recorded.
private final class KnownHistory {
    private let scratch = ScratchDatabase()
    private let key: EncryptionKey?
    private let fanout: Fanout
    private var random = SeededRandom(seed: 7)
    private let arena = ByteArena()
    private var next: Int64 = 0
    private var keys: [Int64: ObjectKey] = [:]
    /// Objects of the newest version, and all states that objects had in any version.
    private var current: [Int64: [PlainValue]] = [:]
    private(set) var ever: Set<String> = []
    private var copies: [Data] = []
    private let count: Int

    struct Found {
        let certainty: Remnant.Certainty
        let values: String
        let offset: UInt64
    }

    init(_ count: Int, key: EncryptionKey? = nil, fanout: Fanout = Fanout()) {
        (self.count, self.key, self.fanout) = (count, key, fanout)
    }

    var path: String { scratch.path }

    private func session(creating: Bool = false) throws -> WriteSession {
        var options = WriteSession.Options()
        options.creates = creating
        options.isDurable = false
        options.key = key
        options.fanout = fanout
        return try WriteSession(path: path, options: options)
    }

    private static let names = ["id", "name", "age", "note", "tags"]

    func make() throws {
        let session = try session(creating: true)
        let t = try session.begin()
        let table = try t.createTable(
            "class_Person", kind: .topLevel, primaryKey: PropertySpec("id", .int))
        try t.addProperty(table, PropertySpec("name", .string))
        try t.addProperty(table, PropertySpec("age", .int))
        var note = PropertySpec("note", .string)
        note.isOptional = true
        try t.addProperty(table, note)
        var tags = PropertySpec("tags", .string)
        tags.collection = .list
        try t.addProperty(table, tags)
        for _ in 0..<count { try insert(t, table) }
        try t.commit()
        commit()
    }

    private func word(_ count: Int) -> PlainValue {
        .string((0..<count).map { _ in UInt8.random(in: 97...122, using: &random) })
    }

    private func value(_ column: Int) -> PlainValue {
        switch column {
        case 1: word(Int.random(in: 3...14, using: &random))
        case 2: .int(Int64.random(in: 0..<100, using: &random))
        case 3:
            Int.random(in: 0..<5, using: &random) == 0
                ? .null : word(Int.random(in: 8...40, using: &random))
        default: .list((0..<Int.random(in: 0..<3, using: &random)).map { _ in word(4) })
        }
    }

    private func set(
        _ t: WriteTransaction, _ table: TableKey, _ id: Int64, _ column: Int
    ) throws {
        let value = value(column)
        current[id]![column] = value
        if case .list(let all) = value {
            try t.setElements(table, keys[id]!, column, all.map { try $0.value(arena, t) })
        } else {
            try t.set(table, keys[id]!, column, value.value(arena, t))
        }
    }

    private func insert(_ t: WriteTransaction, _ table: TableKey) throws {
        let id = next
        next += 1
        keys[id] = try t.create(in: table, primaryKey: .int(id))
        current[id] = [.int(id), .null, .null, .null, .null]
        for column in 1...4 { try set(t, table, id, column) }
    }

    private func remove(_ t: WriteTransaction, _ table: TableKey, _ id: Int64) throws {
        try t.remove(table, keys.removeValue(forKey: id)!)
        current[id] = nil
    }

    private func commit() {
        for values in current.values { ever.insert("\(values)") }
    }

    private func keepCopy() throws { copies.append(try Data(contentsOf: URL(filePath: path))) }

    func change(_ history: RemnantTests.History) throws {
        let session = try session()
        let table = session.database.schema.objectClass(named: "Person")!.key
        try keepCopy()
        var victims = Array(
            current.keys.sorted().shuffled(using: &random)
                .prefix(max(1, count * history.percent / 100)))
        let each = max(1, victims.count / history.commits)
        while !victims.isEmpty {
            let t = try session.begin()
            for id in victims.prefix(each) {
                if history.deletes {
                    try remove(t, table, id)
                } else {
                    try set(t, table, id, Int.random(in: 1...4, using: &random))
                }
            }
            victims.removeFirst(min(each, victims.count))
            try t.commit()
            commit()
        }
        try keepCopy()
        for i in 0..<history.further {
            let t = try session.begin()
            let id = current.keys.sorted().randomElement(using: &random)!
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: try insert(t, table)
            case 2, 3: try set(t, table, id, Int.random(in: 1...4, using: &random))
            default: try remove(t, table, id)
            }
            try t.commit()
            commit()
            if i == history.further / 2 { try keepCopy() }
        }
    }

    // MARK: Reading

    private static func plain(_ value: Value, _ snapshot: Snapshot) throws -> PlainValue {
        switch value {
        case .null: return .null
        case .int(let number): return .int(number)
        case .string(let text): return .string([UInt8](text.buffer))
        case .list(let view):
            var elements = snapshot.elements(of: view)
            var all: [PlainValue] = []
            while let next = try elements.next() { all.append(try plain(next, snapshot)) }
            return .list(all)
        default: throw RealmError.corrupt("another type", in: "test")
        }
    }

    private static func text(_ scan: TableScan, _ row: Int, _ snapshot: Snapshot) throws -> String {
        "\(try (0..<5).map { try plain(scan.value(row: row, column: $0), snapshot) })"
    }

    func states(_ database: Database) throws -> Set<String> {
        let snapshot = database.snapshot()
        let info = database.schema.objectClass(named: "Person")!
        let scan = snapshot.table(info).scan(columns: Array(0..<5))
        var states: Set<String> = []
        while try scan.next() {
            for row in 0..<scan.count { states.insert(try Self.text(scan, row, snapshot)) }
        }
        return states
    }

    func remnants(
        _ database: Database, maxMemory: Int = 64 << 20, threads: Int = 1
    ) throws -> [Found] {
        let remnants = try Remnants(
            database, spillingInto: NSTemporaryDirectory(), maxMemory: maxMemory, threads: threads)
        var found: [Found] = []
        for (position, info) in remnants.classes.enumerated() {
            let snapshots = remnants.views.map { $0.snapshot() }
            try remnants.visit(position) { remnant in
                let snapshot = snapshots[remnant.view]
                snapshot.beginWalk()
                let scan = snapshot.table(info).scan(columns: Array(0..<5))
                try! scan.open(remnant.slice, without: remnant.emptyColumns)
                found.append(
                    Found(
                        certainty: remnant.certainty,
                        values: try! Self.text(scan, remnant.row, snapshot),
                        offset: remnant.leaf))
                return true
            }
        }
        return found
    }

    /// Returns states that the newest version does not have and whose nodes are all intact in
    /// `bytes`.
    func intactStates(in bytes: Data) throws -> Set<String> {
        let file = [UInt8](bytes)
        var states: Set<String> = []
        for copy in copies {
            let old = [UInt8](copy)
            try old.withUnsafeBytes { raw in
                let database = try Database(MappedFile(copying: raw, path: "copy"))
                let snapshot = database.snapshot()
                let info = database.schema.objectClass(named: "Person")!
                let scan = snapshot.table(info).scan(columns: Array(0..<5))
                while try scan.next() {
                    let space = snapshot.lookup
                    let leaf = Ref(scan.leafOffset)
                    let columns = info.columns.indices.map { Ref(scan.columnOffset($0)!) }
                    let node = try space.node(leaf)
                    let keys = node.slot(0).child.map { [$0] } ?? []
                    guard Self.isSame(leaf, node, old, file),
                        try (columns + keys).allSatisfy({
                            try Self.isIntact($0, space, old, file)
                        })
                    else { continue }
                    for row in 0..<scan.count { states.insert(try Self.text(scan, row, snapshot)) }
                }
            }
        }
        return states.subtracting(Set(current.values.map { "\($0)" }))
    }

    private static func isSame(
        _ ref: Ref, _ node: NodeView, _ old: [UInt8], _ new: [UInt8]
    ) -> Bool {
        let start = Int(ref.raw)
        let end = start + 8 + NodeView.payloadSize(flags: node.flags, count: node.count)
        return end <= new.count && old[start..<end] == new[start..<end]
    }

    private static func isIntact(
        _ root: Ref, _ space: NodeSpace, _ old: [UInt8], _ new: [UInt8]
    ) throws -> Bool {
        var open = [root]
        while let ref = open.popLast() {
            let node = try space.node(ref)
            guard isSame(ref, node, old, new) else { return false }
            guard node.hasRefs else { continue }
            open += (0..<node.count).compactMap { node.slot($0).child }
        }
        return true
    }
}
