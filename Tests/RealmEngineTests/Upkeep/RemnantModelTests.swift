import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Remnants of random histories with all types, changes of the schema and removed classes.
@Suite struct RemnantModelTests {
    /// Seeds of long random histories, for the record (`REMNANT_SEEDS=0,1,10`); nil for short ones.
    private static let longHistories = ProcessInfo.processInfo.environment["REMNANT_SEEDS"]
        .map { $0.split(separator: ",").compactMap { Int($0) } }

    /// Every state reported as whole was the state of an object in some version.
    @Test(arguments: longHistories ?? Array(0..<6)) func wholeStatesWereStates(
        _ seed: Int
    ) throws {
        let scratch = ScratchDatabase()
        let isLong = Self.longHistories != nil
        var shape = ModelRun.Shape()
        shape.isComparing = false
        shape.spillPercent = 0
        shape.operationsPerTransaction = seed % 3 == 0 ? 4 : 40
        shape.objects = seed % 2 == 0 ? 40 : isLong ? 400 : 120
        shape.schemaPercent = [0, 2, 10][seed % 3]
        let run = try ModelRun(path: scratch.path, seed: UInt64(seed), shape: shape)
        let known = KnownStates()
        for _ in 0..<(isLong ? 40 + seed % 12 * 10 : 20 + seed * 4) {
            try run.step()
            try known.add(scratch.path)
        }
        try run.close()
        if let directory = ProcessInfo.processInfo.environment["REMNANT_KEEP"] {
            let copy = "\(directory)/seed\(seed).realm"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: scratch.path, toPath: copy)
        }
        print(seed, terminator: ": ")
        try known.compare(scratch.path)
    }

    /// A new property gets the slot in the leaves that a removed property of the same type had.
    /// Values in older leaves belong to the removed property.
    @Test(arguments: [2, 40]) func slotsOfRemovedPropertiesAreNotReadAsNewOnes(
        _ objects: Int
    ) throws {
        let scratch = ScratchDatabase()
        let known = KnownStates()
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = false
        let session = try WriteSession(path: scratch.path, options: options)
        func commit(_ body: (WriteTransaction) throws -> Void) throws {
            let t = try session.begin()
            try body(t)
            try t.commit()
            try known.add(scratch.path)
        }
        var table = TableKey.none
        var keys: [ObjectKey] = []
        try commit { t in
            table = try t.createTable("class_C", kind: .topLevel, primaryKey: nil)
            for name in ["a", "b"] { try t.addProperty(table, PropertySpec(name, .int)) }
            for _ in 0..<objects { keys.append(try t.create(in: table)) }
        }
        for round in 0..<6 {
            try commit { t in
                for (i, key) in keys.enumerated() {
                    for column in 0..<2 {
                        try t.set(table, key, column, .int(Int64(1000 * round + 10 * i + column)))
                    }
                }
            }
            try commit { t in try t.set(table, keys[0], 0, .int(Int64(-round))) }
            try commit { t in try t.removeProperty(table, 1) }
            try commit { t in try t.set(table, keys[1], 0, .int(Int64(-round))) }
            try commit { t in try t.addProperty(table, PropertySpec("c\(round)", .int)) }
            try known.compare(scratch.path)
        }
    }

    /// Histories of another program: directories with a copy of the file for each commit.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["REMNANT_HISTORIES"] != nil))
    func historiesOfAnotherProgram() throws {
        let root = try #require(ProcessInfo.processInfo.environment["REMNANT_HISTORIES"])
        for name in try FileManager.default.contentsOfDirectory(atPath: root).sorted() {
            let directory = "\(root)/\(name)"
            let copies = try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.hasSuffix(".copy") }
            let known = KnownStates()
            for copy in copies.sorted() { try known.add("\(directory)/\(copy)") }
            print(name, terminator: ": ")
            try known.compare("\(directory)/db.realm")
        }
    }
}

/// States that objects had, as they are read from each version of a file.
final class KnownStates {
    /// A state of an object; equal where all values are.
    struct State: Hashable {
        let table: TableKey
        /// Nil to ignore the key.
        let key: ObjectKey?
        /// Digests of values by column, in the order of the columns' keys.
        let values: [Int64: UInt64]

        var withoutKey: State { State(table: table, key: nil, values: values) }
        var object: State { State(table: table, key: key, values: [:]) }
    }

    /// A leaf of some version with the nodes below it.
    private struct Leaf {
        let states: [State]
        let nodes: [(offset: Int, bytes: [UInt8])]
    }

    private var ever: Set<State> = []
    private var leaves: [Leaf] = []
    private var seen: [TableKey: Set<UInt64>] = [:]
    /// Number of states reported as whole, and descriptions of whole states that no version had.
    private(set) var whole = 0
    private(set) var invented: [String] = []
    /// Number of states reported in parts, and descriptions of parts that no state has.
    private(set) var partial = 0
    private(set) var wrong: [String] = []
    /// Number of states whose nodes are all unchanged in the file, and number of them that the
    /// search did not find.
    private(set) var standing = 0
    private(set) var missed = 0
    private let keepsLeaves: Bool

    init(keepsLeaves: Bool = true) { self.keepsLeaves = keepsLeaves }

    /// Adds the states of the newest version of the file that earlier versions do not have.
    func add(_ path: String) throws {
        let database = try Database(immutable: path)
        let snapshot = database.snapshot()
        let digest = ContentDigest(snapshot, links: .stored)
        for info in database.schema.tables {
            var refs: Set<UInt64> = []
            let columns = Array(info.columns.indices)
            let scan = snapshot.table(info).scan(columns: columns)
            while try scan.next() {
                refs.insert(scan.leafOffset)
                if seen[info.key]?.contains(scan.leafOffset) ?? false { continue }
                let states = try (0..<scan.count).map { row in
                    let values = try columns.map {
                        (
                            info.columns[$0].key.raw,
                            try digest.digest(of: scan.value(row: row, column: $0))
                        )
                    }
                    return State(
                        table: info.key, key: scan.key(row),
                        values: Dictionary(uniqueKeysWithValues: values))
                }
                ever.formUnion(states)
                if keepsLeaves {
                    leaves.append(
                        Leaf(states: states, nodes: try Self.nodes(scan, columns, snapshot.lookup)))
                }
            }
            seen[info.key] = refs
        }
    }

    /// Copies of the nodes of a leaf, without the nodes of backlinks.
    private static func nodes(
        _ scan: TableScan, _ columns: [Int], _ space: NodeSpace
    ) throws -> [(offset: Int, bytes: [UInt8])] {
        let leaf = Ref(scan.leafOffset)
        let node = try space.node(leaf)
        var nodes = [copy(leaf, node, space)]
        var open = columns.map { Ref(scan.columnOffset($0)!) }
        if let keys = node.slot(0).child { open.append(keys) }
        while let ref = open.popLast() {
            let node = try space.node(ref)
            nodes.append(copy(ref, node, space))
            guard node.hasRefs else { continue }
            open += (0..<node.count).compactMap { node.slot($0).child }
        }
        return nodes
    }

    private static func copy(
        _ ref: Ref, _ node: NodeView, _ space: NodeSpace
    ) -> (offset: Int, bytes: [UInt8]) {
        let size = 8 + NodeView.payloadSize(flags: node.flags, count: node.count)
        let start = space.base + Int(ref.raw)
        return (Int(ref.raw), [UInt8](UnsafeRawBufferPointer(start: start, count: size)))
    }

    /// Compares the states with the remnants of the file.
    func compare(_ path: String, spillingInto directory: String = NSTemporaryDirectory()) throws {
        let database = try Database(immutable: path)
        let remnants = try Remnants(database, spillingInto: directory)
        var found: Set<State> = []
        let index = Dictionary(grouping: ever, by: \.object)
        let anyKey = Set(ever.map(\.withoutKey))
        for (position, info) in remnants.classes.enumerated() {
            let reader = RemnantReader(remnants, info)
            try remnants.visit(position) { remnant in
                let state = try! reader.state(remnant)
                switch remnant.certainty {
                case .whole:
                    whole += 1
                    found.insert(state)
                    if state.key == nil ? anyKey.contains(state) : ever.contains(state) { break }
                    let difference = Self.difference(state, index[state.object] ?? [])
                    invented.append(
                        "\(info.name) \(remnant.source.name) \(remnant.leaf) "
                            + "row \(remnant.row): \(difference)")
                case .partial where state.key != nil:
                    partial += 1
                    let isKnown = index[state.object]?.contains { known in
                        state.values.allSatisfy { known.values[$0.key] == $0.value }
                    }
                    if isKnown != true { wrong.append("\(info.name) at \(remnant.leaf)") }
                default: break
                }
                return true
            }
        }
        for state in invented { Issue.record("invented: \(state)") }
        for state in wrong { Issue.record("wrong part: \(state)") }
        try count(found, path)
    }

    /// Columns in which a state differs from the most similar one of `others`.
    private static func difference(_ state: State, _ others: [State]) -> String {
        func columns(_ other: State) -> [Int64] {
            Set(state.values.keys).union(other.values.keys)
                .filter { state.values[$0] != other.values[$0] }.sorted()
        }
        guard let best = others.map(columns).min(by: { $0.count < $1.count }) else {
            return "no such object"
        }
        return "\(best.map { ColumnKey($0) }) of \(state.values.count) columns"
    }

    /// Counts the states whose nodes are all unchanged in the file, and how many of them the search
    /// did not find.
    private func count(_ found: Set<State>, _ path: String) throws {
        let file = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let current = KnownStates(keepsLeaves: false)
        try current.add(path)
        var checked: Set<State> = []
        for leaf in leaves {
            guard
                leaf.nodes.allSatisfy({
                    $0.offset + $0.bytes.count <= file.count
                        && file[$0.offset..<$0.offset + $0.bytes.count].elementsEqual($0.bytes)
                })
            else { continue }
            for state in leaf.states
            where !current.ever.contains(state) && checked.insert(state).inserted {
                standing += 1
                if !found.contains(state), !found.contains(state.withoutKey) { missed += 1 }
            }
        }
        print(
            "whole \(whole) invented \(invented.count) partial \(partial) wrong \(wrong.count) "
                + "standing \(standing) missed \(missed)")
    }
}

/// Reads the remnants of a class.
private final class RemnantReader {
    private let info: TableInfo
    private let snapshots: [Snapshot]
    private let digests: [ContentDigest]
    private let scans: [TableScan]

    init(_ remnants: Remnants, _ info: TableInfo) {
        self.info = info
        snapshots = remnants.views.map { $0.snapshot() }
        digests = snapshots.map { ContentDigest($0, links: .stored) }
        scans = snapshots.map { $0.table(info).scan(columns: Array(info.columns.indices)) }
    }

    /// Returns the values of a remnant, as digests by column key. Values that were not found are
    /// missing.
    func state(_ remnant: Remnant) throws -> KnownStates.State {
        snapshots[remnant.view].beginWalk()
        let scan = scans[remnant.view]
        try scan.open(remnant.slice, without: remnant.emptyColumns)
        var values: [Int64: UInt64] = [:]
        for column in info.columns.indices where !remnant.emptyColumns.contains(column) {
            values[info.columns[column].key.raw] = try digests[remnant.view].digest(
                of: scan.value(row: remnant.row, column: column))
        }
        return KnownStates.State(table: info.key, key: remnant.key, values: values)
    }
}
