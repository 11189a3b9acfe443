import RealmEngine

/// Reads JSON records one at a time, in memory that does not grow with the input.
///
/// A record and all handles and views from it are valid until the next call of `next`.
package final class JSONReader {
    package enum Layout {
        /// A value per line; empty lines are passed over.
        case lines
        /// The elements of one array.
        case array
    }

    package struct Limits {
        /// Deepest nesting.
        var depth = 100
        /// Bytes of one record; at most 2^30.
        var recordSize = 64 << 20
    }

    enum State {
        case start
        case inside
        /// Inside a line that is too large and was refused.
        case skippingLine
        case finished
    }

    let layout: Layout
    let recordLimit: Int
    package let tape: JSONTape
    let window: InputWindow
    var state = State.start
    /// Bytes of the current record, without white space around it, from `window.start` on.
    var recordSize = 0
    /// Bytes that the next call steps over first.
    var consumed = 0
    /// Where the line feed of the current record was replaced by a NUL, from `window.start` on.
    var replacedLineFeed: Int?
    /// Records found so far, refused ones too.
    var records = 0
    /// Line feeds passed, with the layout `lines`.
    var linesPassed = 0

    /// Number of the current record. What others read is not what is counted in: a stored property
    /// that another module sees is checked for exclusive access at every use.
    package var recordNumber: Int { records }

    package init(
        _ source: ByteSource, layout: Layout, limits: Limits = Limits(), windowSize: Int = 1 << 19
    ) {
        self.layout = layout
        recordLimit = min(max(1, limits.recordSize), 1 << 30)
        tape = JSONTape(depthLimit: limits.depth)
        window = InputWindow(source, capacity: windowSize)
    }

    /// The current record as written, refused or not; of one that is too large, its beginning.
    package var recordBytes: ByteView { ByteView(window.base + window.start, count: recordSize) }

    /// Line and column where the current record begins.
    package var position: TextPosition { window.position(of: window.start) }

    /// As `position`; where records are lines, without a look at the input.
    @inline(__always) package var recordStart: TextPosition {
        layout == .lines ? TextPosition(line: linesPassed &+ 1) : position
    }

    /// False while `next` might wait for input, a line not being there as a whole; waits up to
    /// `milliseconds`.
    package func isReady(within milliseconds: Int32) -> Bool {
        if layout == .lines { return window.hasLine(after: consumed, within: milliseconds) }
        return window.unread > consumed || window.isReady(within: milliseconds)
    }

    /// Refuses the current record because of one of its values.
    package func error(_ mismatch: ValueMismatch) -> RecordError {
        let value = mismatch.value
        return RecordError(
            .typeMismatch, record: records,
            position: window.position(of: window.start + value.sourceOffset),
            property: tape.path(to: value.index), expected: mismatch.expected, got: mismatch.got)
    }

    /// The next record, or why it is refused.
    @_optimize(speed)
    package func next() throws(RealmError) -> RecordEvent<JSONValue> {
        guard try moveOn() else { return .end }
        switch layout {
        case .lines: return try nextLine()
        case .array: return try nextElement()
        }
    }

    /// Passes over the next record; one that is a line is not looked at, whatever is wrong with it.
    @_optimize(speed)
    package func skip() throws(RealmError) -> RecordEvent<Void> {
        guard try moveOn() else { return .end }
        switch layout {
        case .lines: return try findLine().map { _ in }
        case .array: return try nextElement().map { _ in }
        }
    }

    /// Leaves the current record; false at the end.
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
