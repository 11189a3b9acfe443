import RealmEngine

/// Reading of the layout `lines`.
extension JSONReader {
    @_optimize(speed)
    func nextLine() throws(RealmError) -> RecordEvent<JSONValue> {
        switch try findLine() {
        case .end: .end
        case .rejected(let error): .rejected(error)
        case .record(let length): parseLine(length)
        }
    }

    /// Makes the next non-empty line the current record and returns its length.
    @_optimize(speed)
    func findLine() throws(RealmError) -> RecordEvent<Int> {
        if state == .start { state = .inside }
        while true {
            guard let length = try lineLength() else { return tooLargeLine() }
            if window.unread == 0 {
                state = .finished
                return .end
            }
            let isTerminated = length < window.unread
            consumed = isTerminated ? length + 1 : length
            if isTerminated {
                // A NUL replaces the line feed, because the scanners stop at a NUL. The line feed
                // is restored before lines are counted.
                UnsafeMutablePointer(mutating: pointer)[length] = 0
                replacedLineFeed = length
            }
            if JSONScan.space(pointer, 0) < length {
                records += 1
                recordSize = length
                return .record(length)
            }
            stepOver()
        }
    }

    private func parseLine(_ length: Int) -> RecordEvent<JSONValue> {
        do throws(JSONFault) {
            try tape.parseWhole(pointer, length)
            return .record(tape.root)
        } catch {
            return .rejected(fault(error, end: length))
        }
    }

    /// Returns the number of bytes before the next line feed or the end of input; nil if it exceeds
    /// the limit.
    @_optimize(speed)
    private func lineLength() throws(RealmError) -> Int? {
        var searched = 0
        while true {
            if let found = window.lineFeed(from: window.start + searched) {
                let length = found - window.start
                return length > recordLimit ? nil : length
            }
            searched = window.unread
            if searched > recordLimit { return nil }
            if try !window.refill() { return window.unread }
        }
    }

    /// Rejects a line that exceeds the size limit. Its beginning remains in memory for the message.
    /// The next call skips the line.
    private func tooLargeLine() -> RecordEvent<Int> {
        records += 1
        recordSize = min(window.unread, 1024)
        state = .skippingLine
        return .rejected(tooLarge())
    }

    func skipLine() throws(RealmError) {
        state = .inside
        try window.skipLine()
        linesPassed += 1
    }
}
