import RealmEngine

/// Reading of the layout `array`. A syntax error ends the input, because the beginning of the next
/// element cannot be determined.
extension JSONReader {
    func nextElement() throws(RealmError) -> RecordEvent<JSONValue> {
        if state == .start {
            state = .inside
            guard try expect(UInt8(ascii: "[")) else {
                return try refuse("'[' of an array of records")
            }
            if try expect(UInt8(ascii: "]")) { return try finish() }
        } else {
            if try expect(UInt8(ascii: "]")) { return try finish() }
            guard try expect(UInt8(ascii: ",")) else { return try refuse("',' or ']'") }
        }
        try skipSpace()
        records += 1
        return try parseElement()
    }

    /// Reads more bytes and parses the current element again, until the element is complete.
    private func parseElement() throws(RealmError) -> RecordEvent<JSONValue> {
        while true {
            var fault: JSONFault?
            var end = 0
            do throws(JSONFault) { end = try tape.parse(pointer) } catch { fault = error }
            // A number that ends at the last byte in memory may have more digits.
            let isCut = (fault?.offset ?? end) >= window.unread
            if isCut && !window.isAtEnd && (fault != nil || tape.root.kind.isNumber) {
                if window.unread > recordLimit { return rejectFinally(tooLarge()) }
                try window.readMore()
            } else if let fault {
                try window.readQuotation(at: fault.offset)
                tape.bytes = pointer
                return rejectFinally(self.fault(fault, end: window.unread))
            } else if end > recordLimit {
                return rejectFinally(tooLarge())
            } else {
                recordSize = end
                consumed = end
                return .record(tape.root)
            }
        }
    }

    private func rejectFinally(_ error: RecordError) -> RecordEvent<JSONValue> {
        recordSize = min(window.unread, 1024)
        state = .finished
        return .rejected(error)
    }

    /// Rejects text where an element, a comma or the end of the array was expected. Ends the input.
    private func refuse(_ expected: String) throws(RealmError) -> RecordEvent<JSONValue> {
        records += 1
        try window.readQuotation(at: 0)
        return rejectFinally(
            RecordError(
                .invalidJSON, record: records, position: position, expected: expected,
                got: JSONTape.summary(of: pointer, at: 0, end: window.unread), endsInput: true))
    }

    /// Ends the input after the closing bracket. Only white space may follow it.
    private func finish() throws(RealmError) -> RecordEvent<JSONValue> {
        try skipSpace()
        if window.unread > 0 { return try refuse("nothing after the array") }
        state = .finished
        return .end
    }

    /// Skips white space, and then `byte` if it follows. Returns whether `byte` was skipped.
    private func expect(_ byte: UInt8) throws(RealmError) -> Bool {
        try skipSpace()
        guard window.unread > 0, pointer[0] == byte else { return false }
        window.start += 1
        return true
    }

    private func skipSpace() throws(RealmError) {
        while true {
            window.start += JSONScan.space(pointer, 0)
            if window.unread > 0 { return }
            if try !window.refill() { return }
        }
    }
}

extension JSONKind {
    package var isNumber: Bool { self == .int || self == .number }
}
