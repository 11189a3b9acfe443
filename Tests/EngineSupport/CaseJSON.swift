/// JSON of the conformance data: integers stay integers, and objects keep their order.
indirect enum CaseJSON: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([CaseJSON])
    case object([(String, CaseJSON)])

    subscript(key: String) -> CaseJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var array: [CaseJSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var isTrue: Bool {
        guard case .bool(let value) = self else { return false }
        return value
    }

    /// Parses well-formed JSON; traps on other text.
    init(parsing text: [UInt8]) {
        var at = 0
        self = Self.value(text, &at)
    }

    private static func skip(_ t: [UInt8], _ at: inout Int) {
        while at < t.count, t[at] <= 0x20 { at += 1 }
    }

    private static func value(_ t: [UInt8], _ at: inout Int) -> CaseJSON {
        skip(t, &at)
        switch t[at] {
        case UInt8(ascii: "{"): return object(t, &at)
        case UInt8(ascii: "["): return array(t, &at)
        case UInt8(ascii: "\""): return .string(text(t, &at))
        case UInt8(ascii: "t"):
            at += 4
            return .bool(true)
        case UInt8(ascii: "f"):
            at += 5
            return .bool(false)
        case UInt8(ascii: "n"):
            at += 4
            return .null
        default: return number(t, &at)
        }
    }

    private static func object(_ t: [UInt8], _ at: inout Int) -> CaseJSON {
        var members: [(String, CaseJSON)] = []
        at += 1
        skip(t, &at)
        while t[at] != UInt8(ascii: "}") {
            let key = text(t, &at)
            skip(t, &at)
            at += 1
            members.append((key, value(t, &at)))
            skip(t, &at)
            if t[at] == UInt8(ascii: ",") { at += 1 }
            skip(t, &at)
        }
        at += 1
        return .object(members)
    }

    private static func array(_ t: [UInt8], _ at: inout Int) -> CaseJSON {
        var elements: [CaseJSON] = []
        at += 1
        skip(t, &at)
        while t[at] != UInt8(ascii: "]") {
            elements.append(value(t, &at))
            skip(t, &at)
            if t[at] == UInt8(ascii: ",") { at += 1 }
            skip(t, &at)
        }
        at += 1
        return .array(elements)
    }

    private static func number(_ t: [UInt8], _ at: inout Int) -> CaseJSON {
        let start = at
        while at < t.count, "+-.eE0123456789".utf8.contains(t[at]) { at += 1 }
        let text = String(decoding: t[start..<at], as: UTF8.self)
        if let whole = Int64(text) { return .int(whole) }
        return .double(Double(text)!)
    }

    private static func text(_ t: [UInt8], _ at: inout Int) -> String {
        var units: [UInt8] = []
        at += 1
        while t[at] != UInt8(ascii: "\"") {
            if t[at] != UInt8(ascii: "\\") {
                units.append(t[at])
                at += 1
                continue
            }
            let code = t[at + 1]
            at += 2
            switch code {
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "u"): units += escaped(t, &at).utf8.map { $0 }
            default: units.append(code)
            }
        }
        at += 1
        return String(decoding: units, as: UTF8.self)
    }

    /// Parses the character of `\uXXXX`, including surrogate pairs; `at` is after the `u`.
    private static func escaped(_ t: [UInt8], _ at: inout Int) -> String {
        func unit() -> UInt16 {
            defer { at += 4 }
            return UInt16(String(decoding: t[at..<at + 4], as: UTF8.self), radix: 16)!
        }
        var units = [unit()]
        if UTF16.isLeadSurrogate(units[0]) {
            at += 2
            units.append(unit())
        }
        return String(decoding: units, as: UTF16.self)
    }
}
