import Glibc
import RealmEngine

/// Buffer with the unread part of the input, and room for more input.
///
/// At least 64 zero bytes follow the last byte. Vector loads may therefore read beyond the end, and
/// a JSON scanner needs no bounds because it stops at a NUL byte. The buffer grows only if a single
/// record exceeds it. Not thread-safe.
final class InputWindow {
    static let padding = 64

    private let source: ByteSource
    private(set) var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// Offset of the first unread byte, where the current record begins.
    var start = 0
    /// Offset after the last byte in memory.
    private(set) var end = 0
    /// Whether the input has ended.
    private(set) var isAtEnd = false
    /// Line and column of the byte at offset `counted`, the last offset for which they were
    /// computed.
    private var position = TextPosition()
    private var counted = 0
    /// Byte that ends lines: LF, or CR in files of classic Mac OS.
    var lineEnd: UInt8 = 10 {
        // Lines before the current record ended with the previous value.
        willSet { countConsumed() }
    }

    init(_ source: ByteSource, capacity: Int = 1 << 19) {
        self.source = source
        self.capacity = max(16, capacity)
        base = .allocate(byteCount: self.capacity + Self.padding, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    }

    deinit { base.deallocate() }

    var unread: Int { end - start }

    /// Reads more bytes and appends them to the unread bytes, which may move. Returns false at the
    /// end of input.
    func refill() throws(RealmError) -> Bool {
        if isAtEnd { return false }
        if start > 0 && capacity - end < capacity / 2 { discardConsumed() }
        if end == capacity { grow() }
        let count = try source.read(into: base + end, capacity: capacity - end)
        end += count
        // The padding is set to zero again, because reading or moving bytes may have overwritten
        // it.
        memset(base + end, 0, Self.padding)
        isAtEnd = count == 0
        return count > 0
    }

    /// Size up to which an incomplete record is parsed again after every read. Beyond it, the
    /// number of bytes must double before each attempt, so that the total work is proportional to
    /// the input.
    private static let eagerSize = 1 << 16

    /// Reads enough bytes to try an incomplete record again.
    func readMore() throws(RealmError) {
        let wanted = unread < Self.eagerSize ? unread + 1 : unread * 2
        while unread < wanted {
            if try !refill() { return }
        }
    }

    /// Reads more input until the bytes that an error message quotes are in memory. They begin
    /// `offset` bytes after `start`. Otherwise the message would depend on the size of reads.
    func readQuotation(at offset: Int) throws(RealmError) {
        while unread < offset + 16 {
            if offset < unread, lineFeed(from: start + offset) != nil { return }
            if try !refill() { return }
        }
    }

    /// Moves `start` after the next line end, or to the end of input.
    func skipLine() throws(RealmError) {
        while true {
            if let found = lineFeed(from: start) {
                start = found + 1
                return
            }
            start = end
            if try !refill() { return }
        }
    }

    /// Whether `refill` would return without waiting. Waits for that up to `milliseconds`.
    /// See `ByteSource.isReady`.
    func isReady(within milliseconds: Int32) -> Bool {
        isAtEnd || source.isReady(within: milliseconds)
    }

    /// Number of bytes above which an incomplete line is parsed before its end is in memory.
    private static let longLine = 1 << 16

    /// Whether the line after the first `consumed` unread bytes can be parsed now. True if the line
    /// end is in memory, if the input ends or fails, or if the line exceeds `longLine` bytes.
    /// Otherwise reads more bytes, waiting for them up to `milliseconds`.
    @_optimize(speed)
    func hasLine(after consumed: Int, within milliseconds: Int32) -> Bool {
        var (searched, timeout) = (consumed, milliseconds)
        while lineFeed(from: start + searched) == nil {
            searched = unread
            if isAtEnd || searched - consumed > Self.longLine { return true }
            guard source.isReady(within: timeout) else { return false }
            timeout = 0
            // The next read will throw the same error.
            guard (try? refill()) == true else { return true }
        }
        return true
    }

    /// Skips a UTF-8 byte order mark at the start, which spreadsheet programs write.
    func skipByteOrderMark() throws(RealmError) {
        while unread < 3 {
            if try !refill() { return }
        }
        let p = base + start
        let isMark =
            p.load(as: UInt8.self) == 0xEF && p.load(fromByteOffset: 1, as: UInt8.self) == 0xBB
            && p.load(fromByteOffset: 2, as: UInt8.self) == 0xBF
        if isMark { start += 3 }
    }

    /// Offset of the next line end at or after `offset`, if it is in memory.
    @inline(__always)
    func lineFeed(from offset: Int) -> Int? {
        guard let found = memchr(base + offset, Int32(lineEnd), end - offset) else { return nil }
        return base.distance(to: found)
    }

    /// Returns the line and column of the byte at `offset`, which must not be before `start`.
    func position(of offset: Int) -> TextPosition {
        countConsumed()
        var result = position
        result.advance(over: base + start, count: min(offset, end) - start, lineEnd: lineEnd)
        return result
    }

    @_optimize(speed)
    private func countConsumed() {
        position.advance(over: base + counted, count: start - counted, lineEnd: lineEnd)
        counted = start
    }

    private func discardConsumed() {
        countConsumed()
        memmove(base, base + start, unread)
        end -= start
        start = 0
        counted = 0
    }

    private func grow() {
        let wanted = capacity * 2
        let fresh = UnsafeMutableRawPointer.allocate(
            byteCount: wanted + Self.padding, alignment: 64)
        fresh.copyMemory(from: base, byteCount: end)
        base.deallocate()
        base = fresh
        capacity = wanted
    }
}

/// Line and column in a text.
package struct TextPosition: Equatable, Sendable {
    /// Line, from 1. Lines end in line feeds, or in carriage returns if the file has no line feeds.
    package private(set) var line = 1
    /// Column, from 1, in code points.
    package private(set) var column = 1

    package init() {}

    /// Position at the beginning of a line.
    package init(line: Int) { self.line = line }

    /// Converts this position in a copy to a position in the original text. The copy contains a
    /// part of the text.
    ///
    /// - Parameters:
    ///   - place: position in the original text at which the part begins.
    ///   - start: position in the copy at which the part begins.
    package func relocated(to place: TextPosition, from start: TextPosition) -> TextPosition {
        var result = place
        result.line = max(1, place.line + line - start.line)
        result.column = line == start.line ? place.column + column - start.column : column
        result.column = max(1, result.column)
        return result
    }

    @_optimize(speed)
    mutating func advance(over base: UnsafeRawPointer, count: Int, lineEnd: UInt8 = 10) {
        var lineStart = count
        while lineStart > 0 && base.load(fromByteOffset: lineStart - 1, as: UInt8.self) != lineEnd {
            lineStart -= 1
        }
        if lineStart > 0 {
            line += Self.count(base, lineStart) { $0 == lineEnd }
            column = 1
        }
        // All bytes except UTF-8 continuation bytes begin a code point.
        column += Self.count(base + lineStart, count - lineStart) { $0 & 0xC0 != 0x80 }
    }

    /// Counts the bytes for which a condition holds. Works in blocks whose count fits in a byte, so
    /// that the loop uses whole vector registers.
    @inline(__always)
    private static func count(
        _ base: UnsafeRawPointer, _ count: Int, where matches: (UInt8) -> Bool
    ) -> Int {
        var total = 0
        var i = 0
        while i < count {
            let end = min(i &+ 240, count)
            var block: UInt8 = 0
            while i < end {
                if matches(base.load(fromByteOffset: i, as: UInt8.self)) { block &+= 1 }
                i &+= 1
            }
            total &+= Int(block)
        }
        return total
    }
}
