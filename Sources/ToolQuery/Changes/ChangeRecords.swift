import RealmEngine
import ToolKit

/// Writes the change records that convert one version to another (realm-tools(7), CHANGE RECORDS).
///
/// Deletions come first, so that other objects can get the same primary keys. Schema changes,
/// insertions and updates follow in this order.
final class ChangeRecords {
    let request: ChangeRequest
    private let output: VerifiedOutput
    private let form: any ChangeForm
    var buffer = ByteBuffer()
    /// Numbers of changes, by class name.
    private(set) var counts: [String: Counts] = [:]
    /// For each table of the compared versions, the data for writing change records.
    private var tables: [ObjectIdentifier: ChangedTable] = [:]
    /// Table of the object that was written last, in the newer version. `previous` is the table of
    /// the same object in the older version.
    private var current: ChangedTable?
    private var previous: ChangedTable?
    /// Whether the schema versions differ.
    private(set) var hasVersionChange = false
    /// Number of change records since the last `commit` mark, the line at the end of each version.
    var unmarked = 0
    /// Whether only the exit status is needed. The comparison may then stop at the first
    /// difference.
    private let isSilent: Bool
    private let prints: Bool
    let terminator: UInt8

    /// Numbers of changes of one class.
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
        let form = request.request.format.flatMap(ChangeForms.form) ?? ChangeLines.self
        self.form = form.init(request)
        isSilent = request.other != nil && command.isQuiet
        prints = !isSilent && !request.request.isCount && !request.request.isStat
        terminator = request.request.terminator
    }

    /// Whether no difference has been found so far.
    var isEmpty: Bool { !hasVersionChange && counts.allSatisfy { $0.value.total == 0 } }
    /// Whether the exit status is certain, because no records are printed and a difference was
    /// found.
    var isDecided: Bool { isSilent && !isEmpty }

    private func counts(of name: String) -> Counts {
        if let known = counts[name] { return known }
        let fresh = Counts()
        counts[name] = fresh
        return fresh
    }

    private func table(_ info: TableInfo) -> ChangedTable {
        if let current, current.info === info { return current }
        if let previous, previous.info === info { return previous }
        let table =
            tables[ObjectIdentifier(info)]
            ?? ChangedTable(info, request, counts(of: info.className))
        tables[ObjectIdentifier(info)] = table
        (current, previous) = (table, current)
        return table
    }

    /// Writes the buffered records to the output.
    func flush() throws(RealmError) { try output.flush(&buffer) }

    /// Writes a change record for one step of the schema change: a change of a class, of a property
    /// or of the schema version.
    func schema(_ step: SchemaDifference.Step, version: UInt64) throws(RealmError) {
        if let name = step.className {
            counts(of: name).schema += 1
        } else {
            hasVersionChange = true
        }
        guard prints else { return }
        unmarked += 1
        form.append(step, version: version, to: &buffer)
        try output.write(&buffer)
    }

    // MARK: Objects

    func delete(_ key: ObjectKey, _ info: TableInfo, _ old: ChangeSide, version: UInt64)
        throws(RealmError)
    {
        let table = table(info)
        table.counts.deletes += 1
        try append(.deleted, ChangedObject(key: key, table: table, side: old), version)
    }

    func insert(_ key: ObjectKey, _ info: TableInfo, _ new: ChangeSide, version: UInt64)
        throws(RealmError)
    {
        let table = table(info)
        table.counts.inserts += 1
        try append(.inserted, ChangedObject(key: key, table: table, side: new), version)
    }

    private func append(
        _ change: ObjectChange, _ object: ChangedObject, _ version: UInt64
    ) throws(RealmError) {
        guard prints else { return }
        unmarked += 1
        try form.append(change, object, version: version, to: &buffer)
        try output.write(&buffer)
    }

    /// Writes a change record for an object whose values differ. Writes none if only properties
    /// differ that are not printed.
    ///
    /// - Parameters:
    ///   - changed: columns whose values differ, as indexes in the newer version.
    ///   - before: the object in the older version.
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
        let old = ChangedObject(
            key: before.key, table: self.table(before.table), side: before.side)
        try form.append(
            ChangedObject(key: key, table: table, side: new), shown, before: old, to: &buffer)
        try output.write(&buffer)
    }
}
