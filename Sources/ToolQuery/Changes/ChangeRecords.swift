import RealmEngine
import ToolKit

/// Writes change records: what turns one version into another (realm-tools(7), CHANGE RECORDS).
///
/// Deletions come first, so that a primary key is free when another object takes it, then what
/// happened to the schema, then insertions, then updates.
final class ChangeRecords {
    let request: ChangeRequest
    private let output: VerifiedOutput
    let readable: ReadableChanges?
    var buffer = ByteBuffer()
    /// By name of the class.
    private(set) var counts: [String: Counts] = [:]
    /// The classes of all versions compared.
    private var tables: [ObjectIdentifier: ChangedTable] = [:]
    /// The class of the last record.
    private var current: ChangedTable?
    /// The schema versions differ.
    private(set) var hasVersionChange = false
    /// Records since the last mark.
    var unmarked = 0
    /// Whether only the answer counts that something differs.
    private let isSilent: Bool
    private let prints: Bool
    private let terminator: UInt8

    /// Number of records of one class.
    final class Counts {
        fileprivate(set) var inserts = 0
        fileprivate(set) var updates = 0
        fileprivate(set) var deletes = 0
        fileprivate(set) var schema = 0
        var total: Int { inserts + updates + deletes + schema }
    }

    init(_ request: ChangeRequest, _ output: VerifiedOutput) {
        self.request = request
        self.output = output
        let command = request.request.command
        readable = request.request.format == .diff ? ReadableChanges(request.request) : nil
        isSilent = request.other != nil && command.isQuiet
        prints = !isSilent && !request.request.isCount && !request.request.isStat
        terminator = command[QueryOption.nullSeparated] ? 0 : UInt8(ascii: "\n")
    }

    /// Nothing was different so far.
    var isEmpty: Bool { !hasVersionChange && counts.allSatisfy { $0.value.total == 0 } }
    /// All there is to know is known: the answer is that something differs.
    var isDecided: Bool { isSilent && !isEmpty }

    private func counts(of name: String) -> Counts {
        if let known = counts[name] { return known }
        let fresh = Counts()
        counts[name] = fresh
        return fresh
    }

    private func table(_ info: TableInfo) -> ChangedTable {
        if let current, current.info === info { return current }
        let table =
            tables[ObjectIdentifier(info)]
            ?? ChangedTable(info, request, counts(of: info.className))
        tables[ObjectIdentifier(info)] = table
        current = table
        return table
    }

    func endLine(_ text: StaticString) {
        buffer.append(text)
        buffer.append(terminator)
    }

    /// Passes on everything written so far.
    func flush() throws(RealmError) { try output.flush(&buffer) }

    /// What happened to classes and properties.
    func schema(_ step: SchemaDifference.Step, version: UInt64) throws(RealmError) {
        if let name = step.className {
            counts(of: name).schema += 1
        } else {
            hasVersionChange = true
        }
        guard prints else { return }
        unmarked += 1
        if let readable {
            readable.append(step, to: &buffer)
        } else {
            Self.append(step, version: version, to: &buffer)
            endLine("")
        }
        try output.write(&buffer)
    }

    // MARK: Objects

    func delete(_ key: ObjectKey, _ info: TableInfo, _ old: ChangeSide, version: UInt64)
        throws(RealmError)
    {
        let table = table(info)
        table.counts.deletes += 1
        guard prints else { return }
        unmarked += 1
        if let readable {
            try readable.append(.removed, key, info, old, table.columns, to: &buffer)
            return try output.write(&buffer)
        }
        try begin("delete", key, table, old, version)
        if request.showsBefore {
            buffer.append(",\"before\":")
            try old.appendObject(key, of: table, table.columns, to: &buffer)
        }
        endLine("}")
        try output.write(&buffer)
    }

    func insert(_ key: ObjectKey, _ info: TableInfo, _ new: ChangeSide, version: UInt64)
        throws(RealmError)
    {
        let table = table(info)
        table.counts.inserts += 1
        guard prints else { return }
        unmarked += 1
        if let readable {
            try readable.append(.added, key, info, new, table.columns, to: &buffer)
            return try output.write(&buffer)
        }
        try begin("insert", key, table, new, version)
        buffer.append(",\"object\":")
        try new.appendObject(key, of: table, table.columns, to: &buffer)
        endLine("}")
        try output.write(&buffer)
    }

    /// - Parameters:
    ///   - changed: indexes into the newer version's columns.
    ///   - before: the object in the older version, for `--before`.
    func update(
        _ key: ObjectKey, _ info: TableInfo, _ changed: [Int], _ new: ChangeSide,
        before: (key: ObjectKey, table: TableInfo, side: ChangeSide)
    ) throws(RealmError) {
        let table = table(info)
        let shown = changed.filter { table.shows($0) }
        if shown.isEmpty { return }
        table.counts.updates += 1
        guard prints else { return }
        unmarked += 1
        if let readable {
            try readable.append(key, info, shown, new, before: before, to: &buffer)
            return try output.write(&buffer)
        }
        try begin("update", key, table, new, new.snapshot.version)
        buffer.append(",\"changed\":[")
        for (position, column) in shown.enumerated() {
            if position > 0 { buffer.append(UInt8(ascii: ",")) }
            buffer.append(table.name(column))
        }
        buffer.append("],\"object\":")
        try new.appendObject(key, of: table, shown, to: &buffer)
        if request.showsBefore {
            buffer.append(",\"before\":")
            let columns = table.columns(shown, in: before.table)
            try before.side.appendObject(
                before.key, of: self.table(before.table), columns, to: &buffer)
        }
        endLine("}")
        try output.write(&buffer)
    }

    private func begin(
        _ op: StaticString, _ key: ObjectKey, _ table: ChangedTable, _ side: ChangeSide,
        _ version: UInt64
    ) throws(RealmError) {
        buffer.append("{\"op\":\"")
        buffer.append(op)
        buffer.append("\",\"version\":")
        buffer.append(number: Int(clamping: version))
        buffer.append(table.keyPrefix)
        try side.appendKey(key, of: table.info, to: &buffer)
    }
}
