import Glibc
import RealmEngine

/// Converts the bytes of another source to UTF-8. Used by one thread at a time.
package final class TranscodedBytes: ByteSupply {
    private let source: ByteSource
    private var encoding: TextEncoding
    /// Whether the next bytes are the first of the input, which may be a byte order mark.
    private var isAtStart = true
    private var input: UnsafeMutableRawBufferPointer
    /// Number of bytes in `input` that are not yet decoded, because they are an incomplete
    /// character.
    private var pending = 0
    private var output = ByteBuffer(capacity: 1 << 16)
    /// Offset in the source of the first byte of `input`.
    private var offset = 0

    /// - Parameter encoding: encoding of `source`. If it is UTF-8 but the input begins with a
    ///   UTF-16 byte order mark, the input is UTF-16.
    package init(_ source: ByteSource, from encoding: TextEncoding) {
        self.source = source
        self.encoding = encoding
        input = .allocate(byteCount: 1 << 16, alignment: 16)
    }

    deinit { input.deallocate() }

    package var bytesRead: Int { source.bytesRead }

    package func isReady(within milliseconds: Int32) -> Bool {
        source.isReady(within: milliseconds)
    }

    package func next() throws(RealmError) -> ByteView? {
        output.removeAll()
        while output.count == 0 {
            let count = try source.read(
                into: input.baseAddress! + pending, capacity: input.count - pending)
            let size = pending + count
            if size == 0 { return nil }
            if isAtStart, size < 2, count > 0 {
                pending = size
                continue
            }
            let mark = isAtStart ? skipMark(size) : 0
            isAtStart = false
            let done = mark + (try decode(mark, size, isLast: count == 0))
            offset += done
            pending = size - done
            memmove(input.baseAddress!, input.baseAddress! + done, pending)
            if count == 0, output.count == 0 { return nil }
        }
        return ByteView(output.bytes.baseAddress!, count: output.count)
    }

    /// Sets the encoding according to a UTF-16 byte order mark. Returns the size of the mark; 0 if
    /// there is none.
    private func skipMark(_ size: Int) -> Int {
        guard size >= 2 else { return 0 }
        let isLittle = input[0] == 0xFF && input[1] == 0xFE
        guard isLittle || input[0] == 0xFE && input[1] == 0xFF else {
            if encoding == .utf16 { encoding = .utf16LittleEndian }
            return 0
        }
        switch encoding {
        case .windows1252, .latin1: return 0
        case .utf8, .utf16: encoding = isLittle ? .utf16LittleEndian : .utf16BigEndian
        case .utf16LittleEndian where !isLittle, .utf16BigEndian where isLittle: return 0
        case .utf16LittleEndian, .utf16BigEndian: break
        }
        return 2
    }

    /// Decodes the complete characters from `start` on. Returns the number of decoded bytes.
    private func decode(_ start: Int, _ size: Int, isLast: Bool) throws(RealmError) -> Int {
        switch encoding {
        case .utf8:
            output.append(UnsafeRawBufferPointer(rebasing: input[start..<size]))
            return size - start
        case .latin1:
            for byte in input[start..<size] { append(UInt32(byte)) }
            return size - start
        case .windows1252:
            for i in start..<size { append(try scalar(i)) }
            return size - start
        case .utf16, .utf16LittleEndian, .utf16BigEndian:
            return try decodeUTF16(start, size, isLast: isLast)
        }
    }

    private func scalar(_ i: Int) throws(RealmError) -> UInt32 {
        let byte = input[i]
        guard (0x80..<0xA0).contains(byte) else { return UInt32(byte) }
        let scalar = TextEncoding.windows1252Scalars[Int(byte) - 0x80]
        guard scalar != 0 else { throw malformed(i) }
        return UInt32(scalar)
    }

    private func decodeUTF16(_ start: Int, _ size: Int, isLast: Bool) throws(RealmError) -> Int {
        let isBig = encoding == .utf16BigEndian
        func unit(_ i: Int) -> UInt32 {
            let (first, second) = (UInt32(input[i]), UInt32(input[i + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        var i = start
        while i + 2 <= size {
            let first = unit(i)
            guard first & 0xF800 == 0xD800 else {
                append(first)
                i += 2
                continue
            }
            if i + 4 > size, !isLast { break }
            guard first < 0xDC00, i + 4 <= size, unit(i + 2) & 0xFC00 == 0xDC00 else {
                throw malformed(i)
            }
            append(0x10000 + (first & 0x3FF) << 10 + unit(i + 2) & 0x3FF)
            i += 4
        }
        if isLast, i < size { throw malformed(i) }
        return i - start
    }

    @inline(__always)
    private func append(_ scalar: UInt32) {
        if scalar < 0x80 { return output.append(UInt8(scalar)) }
        for byte in UTF8.encode(UnicodeScalar(scalar) ?? "\u{FFFD}") ?? .init() {
            output.append(byte)
        }
    }

    private func malformed(_ i: Int) -> RealmError {
        RealmError(
            .input, code: "InvalidText", reason: "encoding",
            "not \(encoding.rawValue) at byte \(offset + i)", file: source.path,
            hint: "--encoding sets the encoding of the input")
    }
}
