import RealmEngine

/// Reads JSON records one at a time. Memory does not grow with the size of the input.
///
/// A record, and all handles and views of its values, are valid until the next call of `next`.
package final class JSONReader {
    package enum Layout {
        /// One value per line; empty lines are ignored.
        case lines
        /// One array whose elements are the records.
        case array
    }

    package struct Limits {
        /// Maximum nesting depth.
        var depth = 100
        /// Maximum size of a record in bytes; at most 2^30.
        var recordSize = 64 << 20
    }

    enum State {
        case start
        case inside
        /// In a line that was rejected because it exceeds the size limit.
        case skippingLine
        case finished
    }

    let layout: Layout
    let recordLimit: Int
    package let tape: JSONTape
    let window: InputWindow
    var state = State.start
    /// Size in bytes of the current record, which begins at `window.start`. Surrounding white space
    /// is not included.
    var recordSize = 0
    /// Number of bytes of the previous record, which are skipped at the next call.
    var consumed = 0
    /// Offset from `window.start` at which a NUL replaced the line feed of the current record.
    var replacedLineFeed: Int?
    /// Number of records found, including rejected ones.
    var records = 0
    /// Number of line feeds before the current record. Used in the layout `lines` only.
    var linesPassed = 0

    /// Number of the current record. Computed from `records`, because a stored property that
    /// another module reads is checked for exclusive access at each use.
    package var recordNumber: Int { records }

    package init(
        _ source: ByteSource, layout: Layout, limits: Limits = Limits(), windowSize: Int = 1 << 19,
        uuidOrder: UUIDOrder = .standard
    ) {
        self.layout = layout
        recordLimit = min(max(1, limits.recordSize), 1 << 30)
        tape = JSONTape(uuidOrder, depthLimit: limits.depth)
        window = InputWindow(source, capacity: windowSize)
    }

    /// Bytes of the current record as written. Also available if the record is rejected; if it
    /// exceeds the size limit, only its beginning.
    package var recordBytes: ByteView { ByteView(window.base + window.start, count: recordSize) }

    /// Line and column where the current record begins.
    package var position: TextPosition { window.position(of: window.start) }

    /// Line and column where the current record begins. In the layout `lines`, computed from the
    /// number of lines without scanning the input.
    @inline(__always) package var recordStart: TextPosition {
        layout == .lines ? TextPosition(line: linesPassed &+ 1) : position
    }

    /// Whether a whole line is in memory, so that `next` would return without waiting. In the
    /// layout `array`, whether an unread byte is in memory. Waits for that up to `milliseconds`.
    package func isReady(within milliseconds: Int32) -> Bool {
        if layout == .lines { return window.hasLine(after: consumed, within: milliseconds) }
        return window.unread > consumed || window.isReady(within: milliseconds)
    }

    /// Creates an error that rejects the current record because of a value.
    package func error(_ mismatch: ValueMismatch) -> RecordError {
        let value = mismatch.value
        return RecordError(
            .typeMismatch, record: records,
            position: window.position(of: window.start + value.sourceOffset),
            property: tape.path(to: value.index), expected: mismatch.expected, got: mismatch.got)
    }

    /// Returns the next record, or the error for which it is rejected.
    @_optimize(speed)
    package func next() throws(RealmError) -> RecordEvent<JSONValue> {
        guard try moveOn() else { return .end }
        switch layout {
        case .lines: return try nextLine()
        case .array: return try nextElement()
        }
    }

    /// Skips the next record. In the layout `lines` its content is not checked.
    @_optimize(speed)
    package func skip() throws(RealmError) -> RecordEvent<Void> {
        guard try moveOn() else { return .end }
        switch layout {
        case .lines: return try findLine().map { _ in }
        case .array: return try nextElement().map { _ in }
        }
    }

    /// Moves past the current record. Returns false at the end of the input.
    @_optimize(speed)
    private func moveOn() throws(RealmError) -> Bool {
        stepOver()
        switch state {
        case .finished: return false
        case .start: try window.skipByteOrderMark()
        case .skippingLine: try skipLine()
        case .inside: break
        }
        return true
    }

    func stepOver() {
        if let offset = replacedLineFeed {
            (window.base + window.start).storeBytes(of: 10, toByteOffset: offset, as: UInt8.self)
            replacedLineFeed = nil
            linesPassed &+= 1
        }
        window.start += consumed
        consumed = 0
        recordSize = 0
    }

    func fault(_ fault: JSONFault, end: Int) -> RecordError {
        tape.describe(
            fault, end: end, record: records,
            position: window.position(of: window.start + min(fault.offset, end)),
            endsInput: layout == .array)
    }

    func tooLarge() -> RecordError {
        RecordError(
            .limitExceeded, record: records, position: position,
            expected: "a record of at most \(recordLimit) bytes", got: "a larger one",
            endsInput: layout == .array)
    }

    /// The first unread byte.
    var pointer: UnsafePointer<UInt8> {
        UnsafePointer((window.base + window.start).assumingMemoryBound(to: UInt8.self))
    }
}
