import Glibc
import RealmEngine

/// The stretch of the input in memory: what is unread, and room for more behind it.
///
/// At least 64 zero bytes follow the last byte: vector loads may look past the end, and a JSON
/// scanner needs no bounds, because it stops at a NUL. Memory grows only while one record is larger
/// than all of it. Not thread-safe.
final class InputWindow {
    static let padding = 64

    private let source: ByteSource
    private(set) var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// First byte that was not consumed; the record being worked on begins here.
    var start = 0
    /// Behind the last byte in memory.
    private(set) var end = 0
    /// Nothing follows the bytes in memory.
    private(set) var isAtEnd = false
    /// The place of the byte at `counted`, the last record start anyone asked about.
    private var position = TextPosition()
    private var counted = 0
    /// The byte that ends lines: LF, or CR in files of old Macs.
    var lineEnd: UInt8 = 10 {
        // Lines before the present record ended otherwise.
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

    /// Brings in more bytes behind the unread ones, which may move; false at the end of input.
    func refill() throws(RealmError) -> Bool {
        if isAtEnd { return false }
        if start > 0 && capacity - end < capacity / 2 { discardConsumed() }
        if end == capacity { grow() }
        let count = try source.read(into: base + end, capacity: capacity - end)
        end += count
        // The first fill of a page-fresh window and a shorter unread rest both need fresh zeros.
        memset(base + end, 0, Self.padding)
        isAtEnd = count == 0
        return count > 0
    }

    /// Below this a record that goes on is tried again after every read, above it only after its
    /// bytes have doubled, so that all attempts together stay proportional to the input.
    private static let eagerSize = 1 << 16

    /// Refills as much as makes another attempt at an incomplete record worth it.
    func readMore() throws(RealmError) {
        let wanted = unread < Self.eagerSize ? unread + 1 : unread * 2
        while unread < wanted {
            if try !refill() { return }
        }
    }

    /// Brings in what a message quotes of the place `offset` bytes behind `start`, so that it does
    /// not depend on the sizes of reads.
    func readQuotation(at offset: Int) throws(RealmError) {
        while unread < offset + 16 {
            if offset < unread, lineFeed(from: start + offset) != nil { return }
            if try !refill() { return }
        }
    }

    /// Moves behind the next line feed, or to the end of input.
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

    /// True when `refill` would not wait; see `ByteSource.isReady`.
    func isReady(within milliseconds: Int32) -> Bool {
        isAtEnd || source.isReady(within: milliseconds)
    }

    /// From so many bytes on a line counts as whole, wherever it ends.
    private static let longLine = 1 << 16

    /// True when a whole line is in memory behind the first `consumed` unread bytes, or nothing will
    /// complete it. Brings in what there is, after waiting up to `milliseconds` for something.
    @_optimize(speed)
    func hasLine(after consumed: Int, within milliseconds: Int32) -> Bool {
        var (searched, patience) = (consumed, milliseconds)
        while lineFeed(from: start + searched) == nil {
            searched = unread
            if isAtEnd || searched - consumed > Self.longLine { return true }
            guard source.isReady(within: patience) else { return false }
            patience = 0
            // Whoever reads on meets the same failure.
            guard (try? refill()) == true else { return true }
        }
        return true
    }

    /// Steps over a byte order mark at the very start, which spreadsheets like to write.
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

    /// Line and column of the byte at `offset`, which is not before `start`.
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

/// A place in a text as people count it.
package struct TextPosition: Equatable, Sendable {
    /// From 1, separated by line feeds, or by the carriage returns of files that have no line feeds.
    package private(set) var line = 1
    /// From 1, in characters (code points).
    package private(set) var column = 1

    package init() {}

    /// The beginning of a line.
    package init(line: Int) { self.line = line }

    /// As far behind `place` as this is behind `start`.
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
        // Every byte but a continuation byte begins a character.
        column += Self.count(base + lineStart, count - lineStart) { $0 & 0xC0 != 0x80 }
    }

    /// In blocks whose count fits a byte: that loop uses whole vector registers.
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
