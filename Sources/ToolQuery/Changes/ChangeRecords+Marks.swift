import RealmEngine
import ToolKit

/// Marks: records of `--watch` that are not changes, but the end of a version or the beginning of a
/// resync (realm-query(1), CHANGE RECORDS).
extension ChangeRecords {
    /// Appends `{"op":"ready"…}` or a heartbeat.
    func appendMark(_ op: String, version: UInt64) { append(op, version, []) }

    /// Appends the mark at the end of a version: applying the preceding records to version `from`
    /// results in the version at `position`.
    func appendCommit(from: UInt64, to position: StreamPosition) {
        append(
            "commit", position.version, [("from", .number(from)), ("records", .count(unmarked))],
            position.source)
        unmarked = 0
    }

    /// Appends the mark at the beginning of a resync: all objects follow, because the changes since
    /// `from` are not available.
    func appendResync(from: UInt64, to position: StreamPosition, _ reason: String) {
        var members: JSONItem.Members = [
            ("from", .number(from)), ("to", .number(position.version)), ("reason", .text(reason)),
        ]
        if let name = request.className { members.append(("class", .text(name))) }
        append("resync", position.version, members, position.source)
    }

    private func append(
        _ op: String, _ version: UInt64, _ members: JSONItem.Members, _ source: String? = nil
    ) {
        let first: JSONItem.Members = [("op", .text(op)), ("version", .number(version))]
        let last: JSONItem.Members = source.map { [("source", .text($0))] } ?? []
        JSONItem.object(first + members + last).append(to: &buffer)
        buffer.append(terminator)
    }
}
