import RealmEngine

/// A parsed record: its bytes and a flat array of tokens. The tape is reused for the next record.
///
/// Values are not allocated one by one. A string with escapes is decoded at the first access, into
/// memory that is valid until the next record is parsed. Not thread-safe.
package final class JSONTape {
    /// An object or array that is not yet closed.
    struct Frame {
        var token: UInt32 = 0
        var count: UInt32 = 0
        /// Set of hashes of the names in the object, one bit for each possible hash.
        var seen: UInt64 = 0
        var isObject = false
    }

    /// State of the parser.
    struct State {
        /// Offset of the next byte.
        var at: Int
        /// Number of complete tokens and open containers.
        var count = 0
        /// Number of open containers; all but the innermost are in `frames`, from index 1 on.
        var depth = 0
        /// The innermost container that is open.
        var frame = Frame()
        /// The token that is being parsed. Its name is already set.
        var token = JSONToken()
        /// Whether the parser is between a name and its value.
        var isReadingValue = true
        /// Whether the token just parsed opened a container, and its closing bracket does not
        /// follow at once. The next value to parse is then the first child.
        var isInsideNewContainer = false
    }

    /// Maximum nesting of objects and arrays.
    let depthLimit: Int
    package let scratch = ScratchArena()

    /// First byte of the record.
    var bytes: UnsafePointer<UInt8>
    var tokens: UnsafeMutablePointer<JSONToken>
    var count = 0
    var capacity = 256
    let frames: UnsafeMutablePointer<Frame>
    /// State at which the last parse failed, for error messages.
    var stopped = State(at: 0)
    var escapedKeys: [ByteView] = []
    /// Memory of `parse(copying:)`: a copy of the text, followed by the NUL that the parser
    /// requires; nil before the first call.
    private var copy: UnsafeMutableRawPointer?

    package init(_ uuidOrder: UUIDOrder = .standard, depthLimit: Int = 100) {
        self.depthLimit = max(1, depthLimit)
        tokens = .allocate(capacity: capacity)
        frames = .allocate(capacity: self.depthLimit + 1)
        frames.initialize(repeating: Frame(), count: self.depthLimit + 1)
        bytes = UnsafePointer(bitPattern: 8)!
        scratch.uuidOrder = uuidOrder
    }

    deinit {
        tokens.deallocate()
        frames.deallocate()
        copy?.deallocate()
    }

    /// The value of the record.
    var root: JSONValue { JSONValue(tape: self, index: 0) }

    /// Parses `text` as one value. For JSON outside of a stream of records: arguments of options,
    /// and fields of CSV and TSV.
    package func parse(copying text: ByteView) throws(RecordError) -> JSONValue {
        copy?.deallocate()
        let size = text.count + InputWindow.padding
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        copy = fresh
        fresh.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        fresh.copyMemory(from: text.base, byteCount: text.count)
        do throws(JSONFault) {
            try parseWhole(UnsafePointer(fresh.assumingMemoryBound(to: UInt8.self)), text.count)
        } catch {
            var position = TextPosition()
            position.advance(over: fresh, count: min(error.offset, text.count))
            throw describe(error, end: text.count, record: 1, position: position)
        }
        return root
    }

    /// Parses `count` bytes as one value. Only white space may surround the value.
    func parseWhole(_ p: UnsafePointer<UInt8>, _ count: Int) throws(JSONFault) {
        let end = JSONScan.space(p, try parse(p))
        guard end >= count else { throw JSONFault(.recordEnd, end) }
    }

    /// Returns the name of a field, with escapes decoded.
    @inline(__always)
    package func key(of token: UnsafeMutablePointer<JSONToken>) -> ByteView {
        if token.pointee.flags & JSONToken.escapedKey != 0 {
            return escapedKeys[Int(token.pointee.keyOffset)]
        }
        return ByteView(
            UnsafeRawPointer(bytes + Int(token.pointee.keyOffset)),
            count: Int(token.pointee.keyLength))
    }

    /// Returns the text of a string, with escapes decoded. For other values, returns the bytes as
    /// written.
    @inline(__always)
    package func text(of token: UnsafeMutablePointer<JSONToken>) -> ByteView {
        if token.pointee.flags & JSONToken.escaped != 0 { return unescapedText(of: token) }
        return ByteView(
            UnsafeRawPointer(bytes + Int(token.pointee.offset)), count: Int(token.pointee.length))
    }

    @inline(never)
    private func unescapedText(of token: UnsafeMutablePointer<JSONToken>) -> ByteView {
        if token.pointee.flags & JSONToken.unescaped == 0 {
            let header = scratch.allocate(8 + Int(token.pointee.length))
            let count = JSONEscapes.unescape(
                bytes + Int(token.pointee.offset), Int(token.pointee.length), to: header + 8)
            header.storeBytes(of: count, as: Int.self)
            token.pointee.payload = UInt64(UInt(bitPattern: header))
            token.pointee.flags |= JSONToken.unescaped
        }
        let header = UnsafeRawPointer(bitPattern: UInt(token.pointee.payload))!
        return ByteView(header + 8, count: header.load(as: Int.self))
    }
}

/// Decodes escapes that the scanner has already validated.
enum JSONEscapes {
    /// Decodes `count` bytes at `p` into `out`. Returns the size of the decoded text, which is at
    /// most `count`.
    static func unescape(
        _ p: UnsafePointer<UInt8>, _ count: Int, to out: UnsafeMutableRawPointer
    ) -> Int {
        var written = 0
        var i = 0
        while i < count {
            if p[i] != UInt8(ascii: "\\") {
                out.storeBytes(of: p[i], toByteOffset: written, as: UInt8.self)
                written += 1
                i += 1
            } else if p[i + 1] == UInt8(ascii: "u") {
                written += character(p, &i, to: out + written)
            } else {
                out.storeBytes(of: control(p[i + 1]), toByteOffset: written, as: UInt8.self)
                written += 1
                i += 2
            }
        }
        return written
    }

    private static func control(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        default: letter
        }
    }

    /// Decodes a `\u` escape, or two that form a surrogate pair, to UTF-8.
    private static func character(
        _ p: UnsafePointer<UInt8>, _ i: inout Int, to out: UnsafeMutableRawPointer
    ) -> Int {
        var scalar = (try? JSONScan.hexDigits(p, i + 2)) ?? 0xFFFD
        i += 6
        if scalar & 0xFC00 == 0xD800 {
            let low = (try? JSONScan.hexDigits(p, i + 2)) ?? 0
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
            i += 6
        }
        guard let utf8 = Unicode.Scalar(scalar).map({ UTF8.encode($0) }) ?? nil else { return 0 }
        var written = 0
        for byte in utf8 {
            out.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
            written += 1
        }
        return written
    }
}
