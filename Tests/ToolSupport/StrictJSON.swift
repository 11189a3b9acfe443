/// A strict JSON parser for the output of the tools, so that tests do not depend on a lenient one.
/// Numbers keep their digits.
enum StrictJSON: Equatable, ExpressibleByStringLiteral {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([StrictJSON])
    case object([String: StrictJSON])

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    init(stringLiteral value: String) { self = .string(value) }

    /// Parses `text`, which must be one document with optional white space around it.
    init(_ text: String) throws(Malformed) {
        try self.init(Array(text.utf8))
    }

    init(_ bytes: [UInt8]) throws(Malformed) {
        var parser = StrictJSONParser(bytes: bytes)
        self = try parser.document()
    }

    subscript(name: String) -> StrictJSON? {
        if case .object(let members) = self { return members[name] }
        return nil
    }

    var array: [StrictJSON]? {
        if case .array(let elements) = self { return elements }
        return nil
    }
}

private struct StrictJSONParser {
    let bytes: [UInt8]
    var at = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private func bad(_ what: String) -> StrictJSON.Malformed {
        let near = String(
            decoding: bytes[max(0, at - 40)..<min(bytes.count, at + 20)], as: UTF8.self)
        return StrictJSON.Malformed(description: "\(what) at \(at): …\(near)…")
    }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { at += 1 }
    }

    private mutating func expect(_ text: String) throws(StrictJSON.Malformed) {
        guard bytes[at...].starts(with: text.utf8) else { throw bad("no \(text)") }
        at += text.utf8.count
    }

    mutating func document() throws(StrictJSON.Malformed) -> StrictJSON {
        let value = try value(depth: 0)
        skipSpace()
        guard at == bytes.count else { throw bad("something after the end") }
        return value
    }

    private mutating func value(depth: Int) throws(StrictJSON.Malformed) -> StrictJSON {
        guard depth < 1000 else { throw bad("too deep") }
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        case UInt8(ascii: "t"):
            try expect("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .bool(false)
        default: return .number(try number())
        }
    }

    private mutating func object(_ depth: Int) throws(StrictJSON.Malformed) -> StrictJSON {
        var members: [String: StrictJSON] = [:]
        at += 1
        skipSpace()
        if byte == UInt8(ascii: "}") {
            at += 1
            return .object(members)
        }
        while true {
            skipSpace()
            let name = try string()
            skipSpace()
            try expect(":")
            guard members.updateValue(try value(depth: depth + 1), forKey: name) == nil else {
                throw bad("the name \(name) twice")
            }
            skipSpace()
            if byte == UInt8(ascii: "}") {
                at += 1
                return .object(members)
            }
            try expect(",")
        }
    }

    private mutating func array(_ depth: Int) throws(StrictJSON.Malformed) -> StrictJSON {
        var elements: [StrictJSON] = []
        at += 1
        skipSpace()
        if byte == UInt8(ascii: "]") {
            at += 1
            return .array(elements)
        }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if byte == UInt8(ascii: "]") {
                at += 1
                return .array(elements)
            }
            try expect(",")
        }
    }

    private mutating func string() throws(StrictJSON.Malformed) -> String {
        try expect("\"")
        var content: [UInt8] = []
        while let byte, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw bad("a control character") }
            at += 1
            if byte == UInt8(ascii: "\\") {
                content += try escape()
            } else {
                content.append(byte)
            }
        }
        try expect("\"")
        guard let text = String(validating: content, as: UTF8.self) else {
            throw bad("ill-formed UTF-8")
        }
        return text
    }

    private mutating func escape() throws(StrictJSON.Malformed) -> [UInt8] {
        guard let byte else { throw bad("half an escape") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"):
            // The tools escape only control characters in this form, so surrogate pairs do not
            // occur.
            guard at + 4 <= bytes.count,
                let value = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { throw bad("a bad escape") }
            at += 4
            return Array(String(scalar).utf8)
        default: throw bad("an unknown escape")
        }
    }

    private mutating func number() throws(StrictJSON.Malformed) -> String {
        let start = at
        if byte == UInt8(ascii: "-") { at += 1 }
        let isZero = byte == UInt8(ascii: "0")
        guard try digits() == 1 || !isZero else { throw bad("a leading zero") }
        if byte == UInt8(ascii: ".") {
            at += 1
            _ = try digits()
        }
        if let byte, byte | 0x20 == UInt8(ascii: "e") {
            at += 1
            if self.byte == UInt8(ascii: "+") || self.byte == UInt8(ascii: "-") { at += 1 }
            _ = try digits()
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func digits() throws(StrictJSON.Malformed) -> Int {
        let start = at
        while let byte, (0x30...0x39).contains(byte) { at += 1 }
        guard at > start else { throw bad("no digit") }
        return at - start
    }
}
