import RealmEngine

/// Converts an object with an array for each class to one array of records.
///
/// `{"Dog":[{"age":3}],"Cat":[{}]}`, as written by Realm Studio, becomes
/// `[{"_class":"Dog","age":3},{"_class":"Cat"}]`. Input that is not such an object of arrays is
/// returned unchanged. Used by one thread at a time.
package final class ClassArrays: ByteSupply {
    private enum State {
        /// Before the outer opening brace.
        case start
        /// After the outer opening brace or a comma, before a class name.
        case beforeName
        case name
        case beforeColon
        case beforeArray
        /// Between the records of an array.
        case array
        /// After the opening brace of a record and the inserted member `"_class":"Dog"`. The next
        /// byte decides whether a comma must follow the member.
        case recordStart
        case record
        case afterArray
        /// The rest of the input is returned unchanged, because the outer object has ended, or
        /// because the input is not an object of arrays.
        case verbatim
    }

    private let source: ByteSource
    private let field: [UInt8]
    private var state = State.start
    private var isFirstRecord = true
    private var isInString = false
    private var isEscaped = false
    private var depth = 0
    /// Name of the current class with its quotation marks.
    private var name: [UInt8] = []
    /// Input before the first array; nil after the array has begun. The text is not returned before
    /// then, because it must be returned unchanged if no array of records follows.
    private var bufferedText: [UInt8]? = []
    private var input: UnsafeMutableRawBufferPointer
    private var output = ByteBuffer(capacity: 1 << 16)

    /// - Parameter field: name of the member that is inserted into each record for its class, such
    ///   as `_class`.
    package init(_ source: ByteSource, field: String) {
        self.source = source
        var quoted = ByteBuffer(capacity: 64)
        quoted.append(json: field)
        self.field = Array(quoted.bytes)
        input = .allocate(byteCount: 1 << 16, alignment: 16)
    }

    deinit { input.deallocate() }

    package func isReady(within milliseconds: Int32) -> Bool {
        source.isReady(within: milliseconds)
    }

    package func next() throws(RealmError) -> ByteView? {
        output.removeAll()
        while output.count == 0 {
            let count = try source.read(into: input.baseAddress!, capacity: input.count)
            if count == 0 {
                giveUp()
                break
            }
            if case .verbatim = state {
                output.append(UnsafeRawBufferPointer(rebasing: input[..<count]))
            } else {
                for i in 0..<count { take(input[i]) }
            }
        }
        guard output.count > 0 else { return nil }
        return ByteView(output.bytes.baseAddress!, count: output.count)
    }

    /// Ends the conversion, because the input is not an object of arrays such as `{"Dog":[…]}`. The
    /// input is returned unchanged from its first byte on.
    private func giveUp() {
        state = .verbatim
        if let bufferedText { output.append(bufferedText) }
        bufferedText = nil
    }

    private func put(_ byte: UInt8) {
        if bufferedText != nil { bufferedText!.append(byte) } else { output.append(byte) }
    }

    private func take(_ byte: UInt8) {
        let isSpace = byte == 0x20 || (byte >= 9 && byte <= 13)
        switch state {
        case .verbatim: output.append(byte)
        case .record: scanRecord(byte)
        case .name: takeInName(byte)
        case .start where isSpace || [0xEF, 0xBB, 0xBF].contains(byte): put(byte)
        // Line breaks are preserved, so that messages have the right line numbers.
        case _ where isSpace: put(byte)
        case .start: expect(byte, "{", .beforeName)
        case .beforeName:
            name = [byte]
            expect(byte, "\"", .name)
        case .beforeColon: expect(byte, ":", .beforeArray)
        case .beforeArray: beginArray(byte)
        case .array: takeBetweenRecords(byte)
        case .recordStart:
            if byte != UInt8(ascii: "}") { output.append(UInt8(ascii: ",")) }
            state = .record
            scanRecord(byte)
        case .afterArray:
            if byte == UInt8(ascii: ",") {
                state = .beforeName
            } else {
                // The outer closing brace becomes a bracket. A closing bracket at this position is
                // an error, so it becomes a brace, which the JSON reader reports.
                switch byte {
                case UInt8(ascii: "}"): output.append(UInt8(ascii: "]"))
                case UInt8(ascii: "]"): output.append(UInt8(ascii: "}"))
                default: output.append(byte)
                }
                state = .verbatim
            }
        }
    }

    /// Changes to the state `next` if `byte` equals `expected`. Any other byte ends the conversion.
    /// The input is then returned unchanged: from its first byte if no array has begun, otherwise
    /// from this byte on.
    private func expect(_ byte: UInt8, _ expected: Unicode.Scalar, _ next: State) {
        if bufferedText != nil { bufferedText!.append(byte) }
        if byte == UInt8(ascii: expected) {
            state = next
        } else if bufferedText != nil {
            giveUp()
        } else {
            // After the first array, the output has begun, so the JSON reader reports the byte as
            // an error.
            output.append(byte)
            state = .verbatim
        }
    }

    private func takeInName(_ byte: UInt8) {
        if bufferedText != nil { bufferedText!.append(byte) }
        name.append(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            state = .beforeColon
        }
    }

    private func beginArray(_ byte: UInt8) {
        guard byte == UInt8(ascii: "[") else { return expect(byte, "[", .array) }
        if let bufferedText {
            // The line breaks before the first array are preserved.
            self.bufferedText = nil
            output.append(UInt8(ascii: "["))
            for byte in bufferedText where byte == 10 { output.append(byte) }
        }
        state = .array
    }

    private func takeBetweenRecords(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "]"): state = .afterArray
        case UInt8(ascii: ","): break
        case UInt8(ascii: "{"):
            if !isFirstRecord { output.append(UInt8(ascii: ",")) }
            isFirstRecord = false
            output.append(byte)
            output.append(field)
            output.append(UInt8(ascii: ":"))
            output.append(name)
            (state, depth) = (.recordStart, 1)
        default:
            output.append(byte)
            state = .verbatim
        }
    }

    private func scanRecord(_ byte: UInt8) {
        output.append(byte)
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { state = .array }
        default: break
        }
    }
}
