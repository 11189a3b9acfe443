import RealmEngine

/// Parser for the grammar of JSON (RFC 8259). The tokens are scanned by `JSONScan`.
extension JSONTape {
    /// Parses one value and returns the offset after it. A NUL and at least 63 more readable bytes
    /// must follow the bytes at `p`.
    ///
    /// If the error has the offset of the NUL or a later offset, the value is incomplete.
    @_optimize(speed)
    package func parse(_ p: UnsafePointer<UInt8>) throws(JSONFault) -> Int {
        bytes = p
        scratch.reset()
        if !escapedKeys.isEmpty { escapedKeys.removeAll(keepingCapacity: true) }
        // The state is a local variable, so that the compiler keeps it in registers.
        var state = State(at: JSONScan.space(p, 0))
        do throws(JSONFault) {
            repeat {
                try value(p, &state)
                if state.isInsideNewContainer { continue }
                try closeContainers(p, &state)
                if state.depth == 0 { break }
                try separator(p, &state)
            } while true
            count = state.count
            stopped.depth = 0
            return state.at
        } catch {
            // The incomplete token contains the name of the field, which the message needs.
            tokens[state.count] = state.token
            count = state.count
            stopped = state
            throw error
        }
    }

    /// Parses a scalar, or the beginning of a container including the name of its first child.
    @inline(__always)
    private func value(_ p: UnsafePointer<UInt8>, _ state: inout State) throws(JSONFault) {
        if state.count &+ 1 >= capacity { growTokens() }
        let start = state.at
        state.at = try scalarOrOpening(p, start, &state.token)
        state.token.offset = UInt32(truncatingIfNeeded: start)
        state.token.length = UInt32(truncatingIfNeeded: state.at &- start)
        if state.token.kind == .string {
            state.token.offset &+= 1
            state.token.length &-= 2
        }
        tokens[state.count] = state.token
        state.isReadingValue = false
        if state.token.kind.rawValue >= JSONKind.array.rawValue {
            try open(p, &state)
        } else {
            state.count &+= 1
            state.frame.count &+= 1
            state.isInsideNewContainer = false
        }
    }

    @inline(__always)
    private func open(_ p: UnsafePointer<UInt8>, _ state: inout State) throws(JSONFault) {
        guard state.depth < depthLimit else { throw JSONFault(.depth, state.at &- 1) }
        frames[state.depth] = state.frame
        state.depth &+= 1
        state.frame = Frame()
        state.frame.token = UInt32(truncatingIfNeeded: state.count)
        state.frame.isObject = state.token.kind == .object
        state.count &+= 1
        state.at = JSONScan.space(p, state.at)
        state.token = JSONToken()
        state.isInsideNewContainer = p[state.at] != state.frame.closing
        guard state.isInsideNewContainer else { return }
        if state.frame.isObject { try key(p, &state, isFirst: true) }
        state.isReadingValue = true
    }

    /// Closes the containers that end after a value, and skips the white space after them.
    @inline(__always)
    private func closeContainers(
        _ p: UnsafePointer<UInt8>, _ state: inout State
    ) throws(JSONFault) {
        while state.depth > 0 {
            state.at = JSONScan.space(p, state.at)
            guard p[state.at] == state.frame.closing else { return }
            state.at &+= 1
            try close(state)
            state.depth &-= 1
            state.frame = frames[state.depth]
            state.frame.count &+= 1
        }
    }

    /// Parses the comma before the next child and, in an object, the child's name.
    @_optimize(speed)
    @inline(__always)
    private func separator(_ p: UnsafePointer<UInt8>, _ state: inout State) throws(JSONFault) {
        guard p[state.at] == UInt8(ascii: ",") else {
            throw JSONFault(
                state.frame.isObject ? .commaOrObjectEnd : .commaOrArrayEnd, state.at)
        }
        state.at = JSONScan.space(p, state.at &+ 1)
        state.token = JSONToken()
        if state.frame.isObject { try key(p, &state, isFirst: false) }
        state.isReadingValue = true
    }

    /// Parses a scalar or the opening bracket of a container.
    @inline(__always)
    private func scalarOrOpening(
        _ p: UnsafePointer<UInt8>, _ i: Int, _ token: inout JSONToken
    ) throws(JSONFault) -> Int {
        switch p[i] {
        case UInt8(ascii: "\""):
            token.kind = .string
            return try JSONScan.string(p, i &+ 1, &token.flags) &+ 1
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try JSONScan.number(p, i, &token)
        case UInt8(ascii: "{"):
            token.kind = .object
            return i &+ 1
        case UInt8(ascii: "["):
            token.kind = .array
            return i &+ 1
        case UInt8(ascii: "t"):
            token.kind = .bool
            token.payload = 1
            return try word("true", p, i)
        case UInt8(ascii: "f"):
            token.kind = .bool
            return try word("false", p, i)
        case UInt8(ascii: "n"):
            token.kind = .null
            return try word("null", p, i)
        default:
            throw JSONFault(.value, i)
        }
    }

    @inline(__always)
    private func word(
        _ text: StaticString, _ p: UnsafePointer<UInt8>, _ start: Int
    ) throws(JSONFault) -> Int {
        var k = 1
        while k < text.utf8CodeUnitCount {
            guard p[start &+ k] == text.utf8Start[k] else {
                // At the end of the bytes the word may be incomplete. Elsewhere the whole word is
                // wrong.
                throw JSONFault(.value, p[start &+ k] == 0 ? start &+ k : start)
            }
            k &+= 1
        }
        return start &+ k
    }

    /// Parses a field's name, the colon and white space.
    @inline(__always)
    private func key(
        _ p: UnsafePointer<UInt8>, _ state: inout State, isFirst: Bool
    ) throws(JSONFault) {
        let start = state.at
        guard p[start] == UInt8(ascii: "\"") else {
            throw JSONFault(isFirst ? .fieldNameOrEnd : .fieldName, start)
        }
        var flags: UInt8 = 0
        let end = try JSONScan.string(p, start &+ 1, &flags)
        state.token.keyOffset = UInt32(truncatingIfNeeded: start &+ 1)
        state.token.keyLength = UInt32(truncatingIfNeeded: end &- start &- 1)
        if flags != 0 { unescapeKey(&state.token) }
        if state.frame.isRepeat(of: JSONTape.hash(key(of: &state.token))),
            state.frame.count <= JSONTape.fewFields,
            isRepeated(&state.token, in: state.frame, state.count)
        {
            throw JSONFault(.duplicate, start)
        }
        state.at = JSONScan.space(p, end &+ 1)
        guard p[state.at] == UInt8(ascii: ":") else { throw JSONFault(.colon, state.at) }
        state.at = JSONScan.space(p, state.at &+ 1)
    }

    @inline(never)
    private func unescapeKey(_ token: inout JSONToken) {
        let length = Int(token.keyLength)
        let out = scratch.allocate(length)
        let count = JSONEscapes.unescape(bytes + Int(token.keyOffset), length, to: out)
        token.keyOffset = UInt32(truncatingIfNeeded: escapedKeys.count)
        token.keyLength = UInt32(truncatingIfNeeded: count)
        token.flags |= JSONToken.escapedKey
        escapedKeys.append(ByteView(out, count: count))
    }

    @inline(__always)
    private func close(_ state: State) throws(JSONFault) {
        let frame = state.frame
        let token = tokens + Int(frame.token)
        token.pointee.next = UInt32(truncatingIfNeeded: state.count) &- frame.token
        token.pointee.length = UInt32(truncatingIfNeeded: state.at) &- token.pointee.offset
        token.pointee.payload = UInt64(frame.count)
        if frame.isObject && frame.count > JSONTape.fewFields { try checkManyFields(token) }
    }

    @inline(never)
    private func growTokens() {
        let fresh = UnsafeMutablePointer<JSONToken>.allocate(capacity: capacity * 2)
        fresh.update(from: tokens, count: capacity)
        tokens.deallocate()
        tokens = fresh
        capacity *= 2
    }
}

extension JSONTape.Frame {
    @inline(__always)
    fileprivate var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    /// Records the hash of a name. Returns true if the hash was already recorded.
    @inline(__always)
    fileprivate mutating func isRepeat(of hash: UInt64) -> Bool {
        let bit = 1 &<< (hash &>> 58)
        if seen & bit != 0 { return true }
        seen |= bit
        return false
    }
}

/// Detection of repeated names. In a small object, names are compared if their hashes are equal. In
/// a large object, names are sorted, so that the input cannot choose names that make the detection
/// slow.
extension JSONTape {
    fileprivate static let fewFields: UInt32 = 32

    /// Hash of the length and the first eight bytes of a name.
    @inline(__always)
    fileprivate static func hash(_ key: ByteView) -> UInt64 {
        var word = key.base.loadUnaligned(as: UInt64.self)
        if key.count < 8 { word &= (1 &<< UInt64(truncatingIfNeeded: key.count &* 8)) &- 1 }
        return (word ^ UInt64(truncatingIfNeeded: key.count)) &* 0x9E37_79B9_7F4A_7C15
    }

    @inline(never)
    fileprivate func isRepeated(_ token: inout JSONToken, in frame: Frame, _ n: Int) -> Bool {
        let key = key(of: &token)
        var sibling = Int(frame.token) + 1
        while sibling < n {
            if self.key(of: tokens + sibling) == key { return true }
            sibling += Int(tokens[sibling].next)
        }
        return false
    }

    /// Throws `duplicate` if an object of more than 32 fields contains a name twice. Called after
    /// the object's closing brace. The error has the offset of the second field with the name.
    @inline(never)
    fileprivate func checkManyFields(
        _ object: UnsafeMutablePointer<JSONToken>
    ) throws(JSONFault) {
        var fields: [Int] = []
        fields.reserveCapacity(Int(object.pointee.payload))
        var index = tokens.distance(to: object) + 1
        let end = index - 1 + Int(object.pointee.next)
        while index < end {
            fields.append(index)
            index += Int(tokens[index].next)
        }
        fields.sort {
            let order = ByteView.compare(key(of: tokens + $0), key(of: tokens + $1))
            return order != 0 ? order < 0 : $0 < $1
        }
        for (first, second) in zip(fields, fields.dropFirst())
        where key(of: tokens + first) == key(of: tokens + second) {
            throw JSONFault(.duplicate, Int(tokens[second].offset))
        }
    }
}
