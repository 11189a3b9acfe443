import RealmEngine
import ToolKit

/// What stands between the records of a stream, as far as it has to be carried out.
enum StreamMark {
    /// Everything up to here is there.
    case commit(StreamPosition)
    /// All there is follows, of one class or of all: what is not among it goes.
    case resync(className: String?)

    /// The mark a record is; nil for those that ask for nothing. The order of marks is `StreamDeduplicator`'s
    /// concern.
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

    /// Which database a mark is about; nil for what cannot be one.
    static func source(_ record: JSONValue) -> String? {
        guard let source = record.field("source"), source.kind == .string else { return nil }
        let text = source.text.string
        return StreamPosition.isMark(text) ? text : nil
    }
}
