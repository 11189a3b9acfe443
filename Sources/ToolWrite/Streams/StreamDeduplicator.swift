import RealmEngine
import ToolKit

/// Which change records are to be carried out: whole versions, in their order, each once.
///
/// A stream is change records with marks: `commit` ends a version and says which one it goes on from and
/// how many records it has, `resync` begins with all there is. Records of a version are held until its
/// mark has come; what has been applied already is passed over, and so is a version that was broken off.
/// Change records without marks, of a difference, are carried out as they come. The gate knows nothing
/// of databases.
struct StreamDeduplicator {
    /// What to do with a record.
    enum Verdict: Equatable {
        case carryOut
        /// Keep it until its version is complete.
        case hold
        /// Its version is complete: carry out what was held, and this.
        case release
        case passOver
    }

    /// Nothing is carried out but what follows `applied`.
    private let isStrict: Bool
    /// There are marks.
    private var isStream: Bool
    private(set) var applied: StreamPosition?
    private var open: Version?

    /// A version whose mark has not come.
    private struct Version {
        let number: UInt64
        var isWhole = false
        var isOld = false
        var count = 0
    }

    /// - Parameter position: how far the database has come; nil where nobody knows, which only a resync
    ///   changes.
    init(resuming position: StreamPosition?) {
        applied = position
        isStrict = true
        isStream = true
    }

    /// For a database of which nothing is known.
    init() {
        isStrict = false
        isStream = false
    }

    /// Records are held that the end of the input would leave out.
    var isInside: Bool { open.map { !$0.isOld && ($0.count > 0 || $0.isWhole) } ?? false }

    /// - Returns: what to do, and whether all that is held is forgotten before.
    mutating func take(
        _ record: JSONValue
    ) throws(ValueMismatch) -> (verdict: Verdict, forgets: Bool) {
        guard let op = record.field("op"), op.kind == .string else {
            throw ValueMismatch(record, expected: "a change record with the field \"op\"")
        }
        switch op.text {
        case let text where text.equals("heartbeat"): return (.passOver, false)
        case let text where text.equals("ready"): return (.passOver, forget())
        case let text where text.equals("commit"): return try takeCommit(record)
        case let text where text.equals("resync"): return try takeResync(record)
        default: return try takeChange(record)
        }
    }

    /// True if there was anything.
    private mutating func forget() -> Bool {
        defer { open = nil }
        return isInside
    }

    private mutating func takeChange(
        _ record: JSONValue
    ) throws(ValueMismatch) -> (Verdict, Bool) {
        guard isStream else { return (.carryOut, false) }
        let version = try Self.number(record, "version")
        var forgets = false
        if open?.number != version {
            forgets = forget()
            open = Version(number: version, isOld: applied.map { version <= $0.version } ?? false)
        }
        open!.count += 1
        return (open!.isOld ? .passOver : .hold, forgets)
    }

    private mutating func takeResync(
        _ record: JSONValue
    ) throws(ValueMismatch) -> (Verdict, Bool) {
        let forgets = forget()
        let position = StreamPosition(try Self.number(record, "version"), StreamMark.source(record))
        isStream = true
        let from = try Self.number(record, "from")
        // One that leads back, or elsewhere, is not one that was applied before.
        let isOld = applied.map {
            $0.source == position.source && position.version <= $0.version
                && from <= position.version
        }
        open = Version(number: position.version, isWhole: true, isOld: isOld ?? false)
        return (open!.isOld ? .passOver : .hold, forgets)
    }

    private mutating func takeCommit(
        _ record: JSONValue
    ) throws(ValueMismatch) -> (Verdict, Bool) {
        let position = StreamPosition(try Self.number(record, "version"), StreamMark.source(record))
        let from = try Self.number(record, "from")
        let count = try Self.number(record, "records")
        let hadMarks = isStream
        isStream = true
        var forgets = false
        if open?.number != position.version { forgets = forget() }
        let version = open ?? Version(number: position.version)
        if !version.isWhole, hadMarks {
            if try isOld(position, record) {
                open = nil
                return (.passOver, forgets)
            }
            try checkOrder(from, position, record)
        } else if version.isOld {
            open = nil
            return (.passOver, forgets)
        }
        guard !hadMarks || UInt64(version.count) == count else {
            throw ValueMismatch(
                record, .illegalOperation,
                expected: "\(count) records of version \(version.number)",
                got: "\(version.count)")
        }
        open = nil
        applied = position
        return (.release, forgets)
    }

    /// The version was applied before.
    private func isOld(
        _ position: StreamPosition, _ record: JSONValue
    ) throws(ValueMismatch) -> Bool {
        guard let applied else { return false }
        guard applied.mayShareSource(with: position) else {
            throw ValueMismatch(
                record, .illegalOperation,
                expected: "changes of the database \(applied.source ?? "")",
                got: "those of another one: --since 0 begins anew")
        }
        return position.version <= applied.version
    }

    private func checkOrder(
        _ from: UInt64, _ position: StreamPosition, _ record: JSONValue
    ) throws(ValueMismatch) {
        if let applied {
            guard applied.version != from else { return }
            throw ValueMismatch(
                record, .illegalOperation, expected: "changes since version \(applied.version)",
                got: "those since \(from): --since \(applied.text) has them")
        }
        guard isStrict else { return }
        throw ValueMismatch(
            record, .illegalOperation, expected: "a resync, since nothing is known to be applied",
            got: "changes since version \(from): --since 0 begins anew")
    }

    private static func number(
        _ record: JSONValue, _ name: StaticString
    ) throws(ValueMismatch) -> UInt64 {
        guard let value = record.field(name) else {
            throw ValueMismatch(
                record, .missingPropertyValue, expected: "the field \"\(name)\"", got: "none")
        }
        guard let number = value.int, number >= 0 else {
            throw ValueMismatch(value, expected: "a number that is not negative")
        }
        return UInt64(number)
    }
}
