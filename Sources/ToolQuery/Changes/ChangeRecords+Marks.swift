import RealmEngine
import ToolKit

/// What stands between the records of a watch: where versions end, and where the stream begins anew
/// (realm-query(1), CHANGE RECORDS).
extension ChangeRecords {
    /// `{"op":"ready"…}` or a heartbeat.
    func appendMark(_ op: String, version: UInt64) { append(op, version, []) }

    /// The version is complete: whoever has carried out everything up to `from` and these records is
    /// there.
    func appendCommit(from: UInt64, to position: StreamPosition) {
        append(
            "commit", position.version, [("from", .number(from)), ("records", .count(unmarked))],
            position.source)
        unmarked = 0
    }

    /// What happened between two versions cannot be told any more: all there is follows.
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
