import RealmEngine
import ToolKit

/// What stands between the records of a stream, as far as it has to be carried out.
enum StreamMark {
    /// Everything up to here is there.
    case commit(StreamPosition)
    /// All there is follows, of one class or of all: what is not among it goes.
    case resync(className: String?)

    /// The mark a record is; nil for those that ask for nothing. The order of marks is `StreamGate`'s
    /// concern.
    init?(_ record: JSONValue) throws(ValueMismatch) {
        guard let op = record.field("op") else { return nil }
        if op.text.equals("commit") {
            let version = record.field("version")?.int ?? 0
            let source = record.field("source").flatMap {
                $0.kind == .string ? $0.text.string : nil
            }
            self = .commit(StreamPosition(UInt64(max(0, version)), source))
        } else if op.text.equals("resync") {
            let name = record.field("class")
            self = .resync(className: name.flatMap { $0.isNull ? nil : $0.text.string })
        } else {
            return nil
        }
    }
}
