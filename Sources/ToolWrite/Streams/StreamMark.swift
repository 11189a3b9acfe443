import RealmEngine
import RealmRecords
import ToolKit

/// A record of a change stream that is not a change, but the beginning or end of a version.
/// Heartbeats and other marks that do not affect the database are not represented.
enum StreamMark {
    /// Mark at the end of a version in the stream. Once the version is applied, the database has
    /// reached the stream position.
    case commit(StreamPosition)
    /// Begins a version that contains all objects of a class; of all classes if the name is nil.
    /// Objects that the version does not contain are deleted.
    case resync(className: String?)

    /// Parses a `commit` or `resync` record. Returns nil for other records, such as changes and
    /// heartbeats. `StreamDeduplicator` checks the order of marks.
    init?(_ record: JSONValue) throws(ValueMismatch) {
        guard let op = record.field("op") else { return nil }
        if op.text.equals("commit") {
            let version = record.field("version")?.int ?? 0
            self = .commit(StreamPosition(UInt64(max(0, version)), Self.source(record)))
        } else if op.text.equals("resync") {
            let name = record.field("class")
            self = .resync(className: name.flatMap { $0.isNull ? nil : $0.text.string })
        } else {
            return nil
        }
    }

    /// Returns the fingerprint of the source database; nil if it is missing or malformed.
    static func source(_ record: JSONValue) -> String? {
        guard let source = record.field("source"), source.kind == .string else { return nil }
        let text = source.text.string
        return StreamPosition.isMark(text) ? text : nil
    }
}
