import RealmEngine
import ToolKit

/// What stands between the records of a watch: where versions end, and where the stream begins anew
/// (realm-query(1), CHANGE RECORDS).
extension ChangeRecords {
    /// `{"op":"ready"…}` or a heartbeat.
    func appendMark(_ op: StaticString, version: UInt64) {
        beginMark(op, version)
        endLine("}")
    }

    /// The version is complete: whoever has carried out everything up to `from` and these records is
    /// there.
    func appendCommit(from: UInt64, to position: StreamPosition) {
        defer { unmarked = 0 }
        if readable != nil { return }
        beginMark("commit", position.version)
        buffer.append(",\"from\":")
        buffer.append(number: Int(clamping: from))
        buffer.append(",\"records\":")
        buffer.append(number: unmarked)
        endMark(position)
    }

    /// What happened between two versions cannot be told any more: all there is follows.
    func appendResync(from: UInt64, to position: StreamPosition, _ reason: StaticString) {
        beginMark("resync", position.version)
        buffer.append(",\"from\":")
        buffer.append(number: Int(clamping: from))
        buffer.append(",\"to\":")
        buffer.append(number: Int(clamping: position.version))
        buffer.append(",\"reason\":\"")
        buffer.append(reason)
        buffer.append("\"")
        if let name = request.className {
            buffer.append(",\"class\":")
            buffer.append(json: name)
        }
        endMark(position)
    }

    private func beginMark(_ op: StaticString, _ version: UInt64) {
        buffer.append("{\"op\":\"")
        buffer.append(op)
        buffer.append("\",\"version\":")
        buffer.append(number: Int(clamping: version))
    }

    private func endMark(_ position: StreamPosition) {
        if let source = position.source { buffer.append(",\"source\":\"\(source)\"") }
        endLine("}")
    }
}
