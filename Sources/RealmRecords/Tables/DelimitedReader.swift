import RealmEngine

/// Reads CSV or TSV with a header, one row at a time. Memory does not grow with the size of the
/// input.
///
/// A row and all views of its bytes are valid until the next call of `next`. An empty line is a row
/// only if the table has one column. Not thread-safe.
package final class DelimitedReader {
    private enum State {
        case reading
        /// After a syntax error, before the beginning of the next line.
        case skippingLine
        case finished
    }

    /// Syntax of the table. `readHeader` may replace a guessed separator.
    package private(set) var dialect: Dialect
    private let recordLimit: Int
    private let window: InputWindow
    private let scratch = ScratchArena()
    private var state = State.reading
    /// Names of the columns, from the first line; empty before `readHeader`. The name of an unnamed
    /// column is an empty string.
    private(set) var header: [String] = []
    /// Number of the current row, counting rejected rows; the header is row 0.
    package private(set) var recordNumber = -1
    private var fields: UnsafeMutablePointer<DelimitedField>
    private var capacity = 32
    private var count = 0
    /// Size of the current row without its line end, from `window.start` on.
    private var rowSize = 0
    /// Number of bytes of the previous row, which are skipped at the next call.
    private var consumed = 0

    /// - Parameter recordLimit: maximum number of bytes in a row.
    package init(
        _ source: ByteSource, dialect: Dialect, recordLimit: Int = 64 << 20,
        windowSize: Int = 1 << 19, uuidOrder: UUIDOrder = .standard
    ) {
        self.dialect = dialect
        self.recordLimit = min(max(1, recordLimit), 1 << 30)
        window = InputWindow(source, capacity: windowSize)
        fields = .allocate(capacity: capacity)
        scratch.uuidOrder = uuidOrder
    }

    deinit { fields.deallocate() }

    /// Order of the bytes of UUIDs in the table.
    package var uuidOrder: UUIDOrder { scratch.uuidOrder }

    /// Bytes of the current row as written, also if it is rejected.
    package var recordBytes: ByteView { ByteView(window.base + window.start, count: rowSize) }

    /// Line and column where the current row begins.
    package var position: TextPosition { window.position(of: window.start) }

    /// Whether `next` would return without waiting, because a whole line is in memory. Waits for
    /// that up to `milliseconds`.
    package func isReady(within milliseconds: Int32) -> Bool {
        window.hasLine(after: consumed, within: milliseconds)
    }

    /// Reads the column names in the first line. Must be called first. Returns `end` if the input
    /// is empty. If the header is rejected, no rows are read.
    package func readHeader() throws(RealmError) -> RecordEvent<[String]> {
        try window.skipByteOrderMark()
        if dialect.isGuessed { try guessSeparator() }
        switch try nextRow() {
        case .end: return .end
        case .rejected(let error): return refuseHeader(error)
        case .record(let row):
            var names = Set<String>()
            for column in 0..<row.count {
                let name = row.text(column).string
                if !name.isEmpty, !names.insert(name).inserted {
                    return refuseHeader("a name for each column", "\"\(name)\" twice")
                }
                header.append(name)
            }
            guard !names.isEmpty else { return refuseHeader("names of columns", "empty ones") }
            return .record(header)
        }
    }

    /// Determines the separator from the first line.
    private func guessSeparator() throws(RealmError) {
        while true {
            let text = UnsafeRawBufferPointer(
                start: window.base + window.start, count: window.unread)
            let end = text.firstIndex { $0 == 10 || $0 == 13 }
            if let line = end ?? (window.isAtEnd || text.count > recordLimit ? text.count : nil) {
                dialect = dialect.guessed(from: UnsafeRawBufferPointer(rebasing: text[..<line]))
                return
            }
            try window.readMore()
        }
    }

    private func refuseHeader(_ expected: String, _ got: String) -> RecordEvent<[String]> {
        refuseHeader(
            RecordError(
                .invalidTable, record: 0, position: position, expected: expected, got: got,
                endsInput: true))
    }

    /// Rejects the header and ends the input, because rows without column names have no meaning.
    private func refuseHeader(_ error: RecordError) -> RecordEvent<[String]> {
        state = .finished
        return .rejected(error)
    }

    /// Returns the next row, or the error for which it is rejected.
    @_optimize(speed)
    package func next() throws(RealmError) -> RecordEvent<DelimitedRow> {
        let event = try nextRow()
        guard case .record(let row) = event, row.count != header.count else { return event }
        if dialect.isRagged, fill() { return .record(DelimitedRow(self, count: count)) }
        return .rejected(
            RecordError(
                .invalidTable, record: recordNumber, position: position,
                expected: Self.fields(header.count), got: Self.fields(row.count)))
    }

    /// Adjusts the number of fields in the current row to the header: adds nulls, or removes
    /// surplus fields at the end. Returns false if a surplus field is not empty.
    private func fill() -> Bool {
        while count < header.count {
            if count == capacity { growFields() }
            fields[count] = DelimitedField(base: fields[0].base, length: 0, isNull: true)
            count += 1
        }
        guard (header.count..<count).allSatisfy({ fields[$0].length == 0 }) else { return false }
        count = header.count
        return true
    }

    private static func fields(_ count: Int) -> String {
        count == 1 ? "1 field" : "\(count) fields"
    }

    /// Converts a field to a value of a scalar property. If the property is not nullable, an empty
    /// CSV field becomes an empty string or an empty binary, and is an error for any other type.
    @_optimize(speed)
    package func scalar(
        _ column: Int, as type: ColumnType, isNullable: Bool
    ) throws(RecordError) -> Value {
        if fields[column].isNull && isNullable { return .null }
        let isText = type == .string || type == .binary
        guard !fields[column].isNull || (dialect.escapes == .quotes && isText),
            let value = value(of: text(column), as: type)
        else {
            throw mismatch(
                column, expected: type == .bool ? Self.truth : ScalarText.form(type))
        }
        return value
    }

    /// Converts text of the current row, a field or a part of it, to a value; nil if the text is
    /// not valid for the type.
    @_optimize(speed)
    package func value(of text: ByteView, as type: ColumnType) -> Value? {
        if type == .string, SpelledString.looksSpelled(text),
            let exact = SpelledString.decode(text, in: scratch)
        {
            return .string(exact)
        }
        if type == .bool { return ScalarText.plainBool(text).map { .bool($0) } }
        if dialect.hasDecimalComma, [.double, .float, .decimal].contains(type) {
            return ScalarText.value(numeral(text), as: type, in: scratch)
        }
        return ScalarText.value(text, as: type, in: scratch)
    }

    /// If the dialect has decimal commas, replaces the decimal comma of a number by a point.
    /// Returns other text unchanged.
    package func numeral(_ text: ByteView) -> ByteView {
        let comma = UInt8(ascii: ",")
        guard dialect.hasDecimalComma, text.count < 64,
            let place = (0..<text.count).first(where: { text[$0] == comma }),
            !(0..<text.count).contains(where: { text[$0] == UInt8(ascii: ".") }),
            place == (0..<text.count).last(where: { text[$0] == comma })
        else { return text }
        let copy = scratch.allocate(text.count)
        copy.copyMemory(from: text.base, byteCount: text.count)
        copy.storeBytes(of: UInt8(ascii: "."), toByteOffset: place, as: UInt8.self)
        return ByteView(copy, count: text.count)
    }

    private static let truth = "bool: true, false, yes, no, 1 or 0"

    /// Interprets text of the current row, a field or a part of it, as a value of a mixed property.
    /// The text must not be JSON.
    package func mixedValue(of text: ByteView) -> Value { MixedText.value(text, in: scratch) }

    /// Creates an error that rejects the current row because of the field in `column`.
    package func mismatch(_ column: Int, expected: String) -> RecordError {
        let text = text(column)
        let got = fields[column].isNull ? "null" : "\"\(text.excerpt(of: 40))\""
        return mismatch(column, expected: expected, got: got)
    }

    package func mismatch(_ column: Int, expected: String, got: String) -> RecordError {
        RecordError(
            .typeMismatch, record: recordNumber,
            position: window.position(of: window.start + offset(of: column)),
            property: column < header.count ? header[column] : nil, expected: expected, got: got)
    }

    /// Offset of a field in the row. Returns 0 for a field with escapes, because its decoded text
    /// is not in the row.
    private func offset(of column: Int) -> Int {
        let start = UnsafeRawPointer(window.base) + window.start
        let offset = start.distance(to: UnsafeRawPointer(fields[column].base))
        return offset >= 0 && offset <= rowSize ? offset : 0
    }
}

// MARK: - Rows

extension DelimitedReader {
    @_optimize(speed)
    private func nextRow() throws(RealmError) -> RecordEvent<DelimitedRow> {
        while true {
            window.start += consumed
            consumed = 0
            rowSize = 0
            scratch.reset()
            if state == .skippingLine { try skipLine() }
            if state == .finished { return .end }
            if window.unread == 0, try !window.refill() {
                state = .finished
                return .end
            }
            recordNumber += 1
            let fault = try scanCompleteRow()
            if let fault { return .rejected(fault) }
            // An empty line is a row only if the table has one column.
            if count == 1 && rowSize == 0 && header.count != 1 {
                recordNumber -= 1
                continue
            }
            return .record(DelimitedRow(self, count: count))
        }
    }

    /// Reads more bytes and scans the current row again, until the row is complete.
    private func scanCompleteRow() throws(RealmError) -> RecordError? {
        while true {
            var isComplete = false
            do throws(DelimitedFault) {
                isComplete = try scanRow()
            } catch {
                return try refuse(error)
            }
            let isTooLarge = isComplete ? rowSize > recordLimit : window.unread > recordLimit
            if isTooLarge { return tooLarge() }
            if isComplete { return nil }
            try window.readMore()
        }
    }

    /// Scans the fields of one row. Returns false if the row is incomplete in memory.
    private func scanRow() throws(DelimitedFault) -> Bool {
        let start = (window.base + window.start).assumingMemoryBound(to: UInt8.self)
        let end = window.unread
        var scan = DelimitedScan(
            dialect, UnsafePointer(start), end: end, isFinal: window.isAtEnd)
        let separator = dialect.separator
        var i = 0
        count = 0
        while true {
            if count == capacity { growFields() }
            guard try scan.field(&i, &fields[count]) else { return false }
            count &+= 1
            guard i < end && start[i] == separator else { break }
            i &+= 1
        }
        rowSize = i
        if i < end && start[i] == 13 {
            if i &+ 1 == end && !window.isAtEnd { return false }
            if i &+ 1 < end && start[i &+ 1] == 10 {
                i &+= 1
            } else if recordNumber == 0 && dialect.escapes == .quotes {
                // The line end after the header is the line end of the file.
                window.lineEnd = 13
            } else if window.lineEnd != 13 {
                throw DelimitedFault(.carriageReturn, i)
            }
        }
        if scan.hasNonASCII { try scan.validate(upTo: rowSize) }
        consumed = min(i &+ 1, end)
        return true
    }

    private func growFields() {
        let fresh = UnsafeMutablePointer<DelimitedField>.allocate(capacity: capacity * 2)
        fresh.update(from: fields, count: count)
        fields.deallocate()
        fields = fresh
        capacity *= 2
    }

    @_optimize(speed)
    fileprivate func text(_ column: Int) -> ByteView {
        if fields[column].isEscaped {
            fields[column] = fields[column].unescaped(dialect.escapes, in: scratch)
        }
        return ByteView(fields[column].base, count: fields[column].length)
    }

    fileprivate func isNull(_ column: Int) -> Bool { fields[column].isNull }
}

// MARK: - Refused rows

extension DelimitedReader {
    /// Rejects the current row. Reading continues at the line after the error.
    private func refuse(_ fault: DelimitedFault) throws(RealmError) -> RecordError {
        let property = property(at: fault)
        try window.readQuotation(at: fault.offset)
        let lineEnd = window.lineFeed(from: window.start + fault.offset) ?? window.end
        rowSize = lineEnd - window.start
        consumed = fault.offset
        let endsInput = fault.kind == .unclosedQuote
        state = endsInput ? .finished : .skippingLine
        return RecordError(
            fault.kind == .utf8 ? .invalidText : .invalidTable, record: recordNumber,
            position: window.position(of: window.start + fault.offset),
            property: property, expected: fault.kind.expectation(dialect),
            got: got(fault), endsInput: endsInput)
    }

    private func property(at fault: DelimitedFault) -> String? {
        if fault.kind != .utf8 { return count < header.count ? header[count] : nil }
        let place = UnsafePointer(
            (window.base + window.start + fault.offset).assumingMemoryBound(to: UInt8.self))
        let column = (0..<count).last { fields[$0].base <= place }
        return column.flatMap { $0 < header.count ? header[$0] : nil }
    }

    private func got(_ fault: DelimitedFault) -> String {
        if fault.kind == .unclosedQuote { return "the end" }
        let start = UnsafePointer(
            (window.base + window.start).assumingMemoryBound(to: UInt8.self))
        return JSONTape.summary(of: start, at: fault.offset, end: window.unread)
    }

    /// Rejects a row that exceeds the size limit. Ends the input, because the beginning of the next
    /// row cannot be determined.
    private func tooLarge() -> RecordError {
        rowSize = min(window.unread, 1024)
        consumed = 0
        state = .finished
        return RecordError(
            .limitExceeded, record: recordNumber, position: position,
            expected: "a record of at most \(recordLimit) bytes", got: "a larger one",
            endsInput: true)
    }

    private func skipLine() throws(RealmError) {
        state = .reading
        try window.skipLine()
    }
}

/// A handle to one row, valid until the next row is read.
package struct DelimitedRow {
    private let owner: Unmanaged<DelimitedReader>
    package let count: Int

    fileprivate init(_ reader: DelimitedReader, count: Int) {
        owner = Unmanaged.passUnretained(reader)
        self.count = count
    }

    /// The text of a field, without quotes and escapes; empty for null.
    @inline(__always)
    package func text(_ column: Int) -> ByteView {
        precondition(column >= 0 && column < count)
        return owner._withUnsafeGuaranteedRef { $0.text(column) }
    }

    @inline(__always)
    package func isNull(_ column: Int) -> Bool {
        precondition(column >= 0 && column < count)
        return owner._withUnsafeGuaranteedRef { $0.isNull(column) }
    }
}

extension DelimitedFault.Kind {
    fileprivate func expectation(_ dialect: Dialect) -> String {
        switch self {
        case .quoteInside: "a field with quotes to be in quotes"
        case .textBehindQuote:
            "\(dialect.separatorName) or the end of the line after the closing quote"
        case .unclosedQuote: "a closing quote"
        case .carriageReturn: "a line feed after the carriage return"
        case .escape: "one of \\t \\n \\r \\\\, or \\N alone"
        case .utf8: "UTF-8"
        }
    }
}
