import RealmEngine
import RealmRecords
import ToolKit

/// Decides which change records are applied: whole versions only, in order, each once.
///
/// A stream consists of change records and marks. The mark `commit` ends a version; it contains the
/// previous version and the number of records. The mark `resync` begins a version that contains all
/// objects. The caller buffers the records of a version until its `commit` mark. Versions that were
/// already applied are skipped, and so are interrupted versions. Change records without marks, for
/// example from `--diff`, are applied immediately. Does not access a database.
struct StreamDeduplicator {
    /// Decision about a record of the stream.
    enum Verdict: Equatable {
        case apply
        /// The caller buffers the record until its version is complete.
        case hold
        /// The version is complete: the buffered records and this record are applied.
        case release
        case skip
    }

    /// Whether the stream must begin with a resync if `applied` is nil, because the position of the
    /// database is unknown. True with `--resume`.
    private let isStrict: Bool
    /// Whether the input contains marks such as `{"op":"commit",…}`.
    private var isStream: Bool
    private(set) var applied: StreamPosition?
    private var open: Version?

    /// A version of which records were read, but not yet the `commit` mark at its end.
    private struct Version {
        let number: UInt64
        var isWhole = false
        var isOld = false
        var count = 0
    }

    /// Creates a deduplicator for `--resume`.
    ///
    /// - Parameter position: position that the database has reached. If it is nil (unknown), only a
    ///   resync is accepted.
    init(resuming position: StreamPosition?) {
        applied = position
        isStrict = true
        isStream = true
    }

    /// Creates a deduplicator for a load without `--resume`: the position that the database has
    /// reached in the stream is unknown.
    init() {
        isStrict = false
        isStream = false
    }

    /// Whether the input is inside a version: if it ended here, buffered records would not be
    /// applied.
    var isInside: Bool { open.map { !$0.isOld && ($0.count > 0 || $0.isWhole) } ?? false }

    /// Decides whether a record of the stream is applied, buffered or skipped.
    ///
    /// - Returns: the decision, and whether the caller must first discard all buffered records.
    mutating func take(
        _ record: JSONValue
    ) throws(ValueMismatch) -> (verdict: Verdict, forgets: Bool) {
        guard let op = record.field("op"), op.kind == .string else {
            throw ValueMismatch(record, expected: "a change record with the field \"op\"")
        }
        switch op.text {
        case let text where text.equals("heartbeat"): return (.skip, false)
        case let text where text.equals("ready"): return (.skip, discardOpenVersion())
        case let text where text.equals("commit"): return try takeCommit(record)
        case let text where text.equals("resync"): return try takeResync(record)
        default: return try takeChange(record)
        }
    }

    /// Discards the version that is being read. Returns whether its buffered records must be
    /// discarded.
    private mutating func discardOpenVersion() -> Bool {
        defer { open = nil }
        return isInside
    }

    private mutating func takeChange(
        _ record: JSONValue
    ) throws(ValueMismatch) -> (Verdict, Bool) {
        guard isStream else { return (.apply, false) }
        let version = try Self.number(record, "version")
        var forgets = false
        if open?.number != version {
            forgets = discardOpenVersion()
            open = Version(number: version, isOld: applied.map { version <= $0.version } ?? false)
        }
        open!.count += 1
        return (open!.isOld ? .skip : .hold, forgets)
    }

    private mutating func takeResync(
        _ record: JSONValue
    ) throws(ValueMismatch) -> (Verdict, Bool) {
        let forgets = discardOpenVersion()
        let position = StreamPosition(try Self.number(record, "version"), StreamMark.source(record))
        isStream = true
        let from = try Self.number(record, "from")
        // A resync to an older version, or from another source database, has not been applied
        // before.
        let isOld = applied.map {
            $0.source == position.source && position.version <= $0.version
                && from <= position.version
        }
        open = Version(number: position.version, isWhole: true, isOld: isOld ?? false)
        return (open!.isOld ? .skip : .hold, forgets)
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
        if open?.number != position.version { forgets = discardOpenVersion() }
        let version = open ?? Version(number: position.version)
        if !version.isWhole, hadMarks {
            if try isOld(position, record) {
                open = nil
                return (.skip, forgets)
            }
            try checkOrder(from, position, record)
        } else if version.isOld {
            open = nil
            return (.skip, forgets)
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

    /// Whether the version was already applied. Throws an error if it is a version of another
    /// source database.
    private func isOld(
        _ position: StreamPosition, _ record: JSONValue
    ) throws(ValueMismatch) -> Bool {
        guard let applied else { return false }
        guard applied.mayShareSource(with: position) else {
            throw ValueMismatch(
                record, .illegalOperation,
                expected: "changes of the database \(applied.source ?? "")",
                got: "changes of another database: --since 0 starts over")
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
                got: "changes since \(from): --since \(applied.text) has them")
        }
        guard isStrict else { return }
        throw ValueMismatch(
            record, .illegalOperation,
            expected: "a resync, because no applied version is recorded",
            got: "changes since version \(from): --since 0 starts over")
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
