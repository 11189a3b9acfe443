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
    private(set) var counts: [String: Counts] = [:]
    /// The schema versions differ.
    private(set) var hasVersionChange = false
    /// Records since the last mark.
    var unmarked = 0

    /// What happened in one class.
    struct Counts {
        var inserts = 0
        var updates = 0
        var deletes = 0
        var schema = 0
        var total: Int { inserts + updates + deletes + schema }
    }

    init(_ request: ChangeRequest, _ output: VerifiedOutput) {
        self.request = request
        self.output = output
        readable = request.request.format == .diff ? ReadableChanges(request.request) : nil
    }

    /// Nothing was different so far.
    var isEmpty: Bool { !hasVersionChange && counts.allSatisfy { $0.value.total == 0 } }
    private var isSilent: Bool { request.other != nil && request.request.command.isQuiet }
    private var prints: Bool { !isSilent && !request.request.isCount && !request.request.isStat }
    /// All there is to know is known: the answer is that something differs.
    var isDecided: Bool { isSilent && !isEmpty }

    func endLine(_ text: StaticString) {
        buffer.append(text)
        buffer.append(request.request.command[QueryOption.nullSeparated] ? 0 : UInt8(ascii: "\n"))
    }

    /// Passes on everything written so far.
    func flush() throws(RealmError) { try output.flush(&buffer) }

    /// What happened to classes and properties.
    func schema(_ step: SchemaDifference.Step, version: UInt64) throws(RealmError) {
        if let name = step.className {
            counts[name, default: Counts()].schema += 1
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

    func delete(_ key: ObjectKey, _ table: TableInfo, _ old: ChangeSide, version: UInt64)
        throws(RealmError)
    {
        counts[table.className, default: Counts()].deletes += 1
        guard prints else { return }
        unmarked += 1
        if let readable {
            try readable.append(.removed, key, table, old, columns(table), to: &buffer)
            return try output.write(&buffer)
        }
        try begin("delete", key, table, old, version)
        if request.showsBefore {
            buffer.append(",\"before\":")
            try old.appendObject(key, of: table, columns(table), to: &buffer)
        }
        endLine("}")
        try output.write(&buffer)
    }

    func insert(_ key: ObjectKey, _ table: TableInfo, _ new: ChangeSide, version: UInt64)
        throws(RealmError)
    {
        counts[table.className, default: Counts()].inserts += 1
        guard prints else { return }
        unmarked += 1
        if let readable {
            try readable.append(.added, key, table, new, columns(table), to: &buffer)
            return try output.write(&buffer)
        }
        try begin("insert", key, table, new, version)
        buffer.append(",\"object\":")
        try new.appendObject(key, of: table, columns(table), to: &buffer)
        endLine("}")
        try output.write(&buffer)
    }

    /// - Parameters:
    ///   - changed: indexes into the newer version's columns.
    ///   - before: the object in the older version, for `--before`.
    func update(
        _ key: ObjectKey, _ table: TableInfo, _ changed: [Int], _ new: ChangeSide,
        before: (key: ObjectKey, table: TableInfo, side: ChangeSide)
    ) throws(RealmError) {
        let shown = changed.filter { request.shows(table.columns[$0]) }
        if shown.isEmpty { return }
        counts[table.className, default: Counts()].updates += 1
        guard prints else { return }
        unmarked += 1
        if let readable {
            try readable.append(key, table, shown, new, before: before, to: &buffer)
            return try output.write(&buffer)
        }
        try begin("update", key, table, new, new.snapshot.version)
        buffer.append(",\"changed\":[")
        for (position, column) in shown.enumerated() {
            if position > 0 { buffer.append(",") }
            buffer.append(json: table.columns[column].name)
        }
        buffer.append("],\"object\":")
        try new.appendObject(key, of: table, shown, to: &buffer)
        if request.showsBefore {
            buffer.append(",\"before\":")
            let columns = shown.compactMap {
                before.table.columnIndex(named: table.columns[$0].name)
            }
            try before.side.appendObject(before.key, of: before.table, columns, to: &buffer)
        }
        endLine("}")
        try output.write(&buffer)
    }

    private func begin(
        _ op: StaticString, _ key: ObjectKey, _ table: TableInfo, _ side: ChangeSide,
        _ version: UInt64
    ) throws(RealmError) {
        buffer.append("{\"op\":\"")
        buffer.append(op)
        buffer.append("\",\"version\":")
        buffer.append(number: Int(clamping: version))
        buffer.append(",\"class\":")
        buffer.append(json: table.className)
        buffer.append(",\"key\":")
        try side.appendKey(key, of: table, to: &buffer)
    }

    private func columns(_ table: TableInfo) -> [Int] {
        table.columns.indices.filter { request.shows(table.columns[$0]) }
    }
}
