import RealmEngine

/// The grammar of JSON (RFC 8259) over the scanners of `JSONScan`.
extension JSONTape {
    /// Parses one value and answers the offset behind it. `p` ends with a NUL and padding.
    ///
    /// A fault at or behind the NUL means that the value goes on where the bytes end.
    func parse(_ p: UnsafePointer<UInt8>) throws(JSONFault) -> Int {
        bytes = p
        scratch.reset()
        if !escapedKeys.isEmpty { escapedKeys.removeAll(keepingCapacity: true) }
        // Locals, so that they stay in registers.
        var n = 0
        var depth = 0
        var frame = Frame()
        var isReadingValue = true
        var i = JSONScan.space(p, 0)
        var token = JSONToken()
        do throws(JSONFault) {
            while true {
                if n &+ 1 >= capacity { growTokens() }
                token.offset = UInt32(truncatingIfNeeded: i)
                let start = i
                i = try scalarOrOpening(p, i, &token)
                token.length = UInt32(truncatingIfNeeded: i &- start)
                if token.kind == .string {
                    token.offset &+= 1
                    token.length &-= 2
                }
                tokens[n] = token
                isReadingValue = false
                if token.kind.rawValue >= JSONKind.array.rawValue {
                    guard depth < depthLimit else { throw JSONFault(.depth, start) }
                    frames[depth] = frame
                    depth &+= 1
                    frame = Frame()
                    frame.token = UInt32(truncatingIfNeeded: n)
                    frame.isObject = token.kind == .object
                    n &+= 1
                    i = JSONScan.space(p, i)
                    token = JSONToken()
                    if p[i] != frame.closing {
                        if frame.isObject { i = try key(p, i, &token, &frame, n, true) }
                        isReadingValue = true
                        continue
                    }
                } else {
                    n &+= 1
                    frame.count &+= 1
                    if depth == 0 { break }
                    i = JSONScan.space(p, i)
                }
                while p[i] == frame.closing {
                    try close(frame, i &+ 1, n)
                    depth &-= 1
                    frame = frames[depth]
                    frame.count &+= 1
                    i &+= 1
                    if depth == 0 { break }
                    i = JSONScan.space(p, i)
                }
                if depth == 0 { break }
                guard p[i] == UInt8(ascii: ",") else {
                    throw JSONFault(frame.isObject ? .commaOrObjectEnd : .commaOrArrayEnd, i)
                }
                i = JSONScan.space(p, i &+ 1)
                token = JSONToken()
                if frame.isObject { i = try key(p, i, &token, &frame, n, false) }
                isReadingValue = true
            }
            count = n
            self.depth = 0
            return i
        } catch {
            // With the name of the field, for the message.
            tokens[n] = token
            count = n
            self.depth = depth
            openFrame = frame
            self.isReadingValue = isReadingValue
            throw error
        }
    }

    /// A scalar, or the bracket that opens a container.
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
                // Where the bytes end the word may go on; otherwise the whole word is wrong.
                throw JSONFault(.value, p[start &+ k] == 0 ? start &+ k : start)
            }
            k &+= 1
        }
        return start &+ k
    }

    /// A field's name, the colon and the white space around it.
    @inline(__always)
    private func key(
        _ p: UnsafePointer<UInt8>, _ start: Int, _ token: inout JSONToken, _ frame: inout Frame,
        _ n: Int, _ isFirst: Bool
    ) throws(JSONFault) -> Int {
        guard p[start] == UInt8(ascii: "\"") else {
            throw JSONFault(isFirst ? .fieldNameOrEnd : .fieldName, start)
        }
        var flags: UInt8 = 0
        var i = try JSONScan.string(p, start &+ 1, &flags)
        token.keyOffset = UInt32(truncatingIfNeeded: start &+ 1)
        token.keyLength = UInt32(truncatingIfNeeded: i &- start &- 1)
        if flags != 0 { unescapeKey(&token) }
        if frame.isRepeat(of: JSONTape.hash(key(of: &token))) {
            if frame.count <= JSONTape.fewFields, isRepeated(&token, in: frame, n) {
                throw JSONFault(.duplicate, start)
            }
        }
        i = JSONScan.space(p, i &+ 1)
        guard p[i] == UInt8(ascii: ":") else { throw JSONFault(.colon, i) }
        return JSONScan.space(p, i &+ 1)
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
    private func close(_ frame: Frame, _ end: Int, _ n: Int) throws(JSONFault) {
        let token = tokens + Int(frame.token)
        token.pointee.next = UInt32(truncatingIfNeeded: n) &- frame.token
        token.pointee.length = UInt32(truncatingIfNeeded: end) &- token.pointee.offset
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

    /// Notes a name by its hash; true if the same hash was there already.
    @inline(__always)
    fileprivate mutating func isRepeat(of hash: UInt64) -> Bool {
        let bit = 1 &<< (hash &>> 58)
        if seen & bit != 0 { return true }
        seen |= bit
        return false
    }
}

/// Names may occur once. Few fields are compared when their hashes meet; many are sorted, which no
/// choice of names makes slow.
extension JSONTape {
    fileprivate static let fewFields: UInt32 = 32

    /// Of the length and the first eight bytes; names that agree in both are compared.
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

    /// At the end of an object of many fields; the fault is at the second of the same name.
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
