/// A text that is searched for, prepared for many searches. A search examines 64 positions at a
/// time, and compares the whole text only at positions where its first and its last byte match.
///
/// The two cases of a letter differ only in the bit 0x20. So case is ignored by setting that bit
/// before comparing, in the bytes that belong to letters.
final class Needle: @unchecked Sendable {
    /// The bytes of the text, in lower case if case is ignored. Then a mask for each byte: 0x20 if
    /// its case is ignored, otherwise 0. Never changed.
    private let memory: UnsafeMutablePointer<UInt8>
    private let search: NeedleSearch

    var count: Int { search.count }

    /// Returns the cell of `width` bytes in which a leaf would store this text, with the masks for
    /// ignoring case; nil if the text is too long for such a cell.
    func cell(width: Int) -> TextCell? {
        guard count < width else { return nil }
        let padding = width - 1 - count
        let zeros = [UInt8](repeating: 0, count: padding)
        let bytes = [UInt8](UnsafeBufferPointer(start: memory, count: count))
        let folds = [UInt8](UnsafeBufferPointer(start: memory + count, count: count))
        return TextCell(bytes: bytes + zeros + [UInt8(padding)], folds: folds + zeros + [0])
    }

    init(_ text: ByteView, folds foldsCase: Bool) {
        let count = text.count
        memory = .allocate(capacity: max(1, 2 * count))
        memory.initialize(repeating: 0, count: max(1, 2 * count))
        var previous: UInt8 = 0
        for i in 0..<count {
            let byte = text[i]
            let isLetter = (byte | 0x20) &- 0x61 < 26
            let isLatin =
                previous == 0xC3 && (byte | 0x20) &- 0xA0 < 0x1F && byte | 0x20 != 0xB7
            let doesFold = foldsCase && (isLetter || isLatin)
            memory[i] = doesFold ? byte | 0x20 : byte
            memory[count + i] = doesFold ? 0x20 : 0
            previous = byte
        }
        search = NeedleSearch(bytes: memory, folds: memory + count, count: count)
    }

    deinit { memory.deallocate() }

    /// Calls `body` with a search for this text. The search is valid only during the call.
    @inline(__always)
    func withSearch<Result>(_ body: (NeedleSearch) -> Result) -> Result {
        withExtendedLifetime(self) { body(search) }
    }
}

/// A text as it is stored in a cell of a short-string leaf, with the masks for ignoring case.
final class TextCell: Sendable {
    let bytes: [UInt8]
    let folds: [UInt8]

    init(bytes: [UInt8], folds: [UInt8]) {
        self.bytes = bytes
        self.folds = folds
    }
}

/// Searches texts for a needle. Holds only pointers, so that copying it counts no references.
struct NeedleSearch {
    private let bytes: UnsafePointer<UInt8>
    private let folds: UnsafePointer<UInt8>
    let count: Int
    /// The first eight bytes of the needle; fewer if it is shorter.
    let head: Head

    fileprivate init(bytes: UnsafePointer<UInt8>, folds: UnsafePointer<UInt8>, count: Int) {
        self.bytes = bytes
        self.folds = folds
        self.count = count
        var head = Head()
        for i in 0..<min(8, count) {
            let shift = UInt64(8 &* i)
            head.key |= UInt64(bytes[i]) &<< shift
            head.folds |= UInt64(folds[i]) &<< shift
            head.mask |= 0xFF &<< shift
        }
        self.head = head
    }

    /// Up to eight bytes that are compared with one instruction.
    struct Head {
        fileprivate(set) var key: UInt64
        fileprivate(set) var folds: UInt64
        fileprivate(set) var mask: UInt64

        /// Makes a head of eight bytes from the bytes at `key`, and from the masks for ignoring
        /// case at `folds`.
        init(_ key: UnsafeRawPointer, folds: UnsafeRawPointer) {
            self.key = UInt64(littleEndian: key.loadUnaligned(as: UInt64.self))
            self.folds = UInt64(littleEndian: folds.loadUnaligned(as: UInt64.self))
            mask = .max
        }

        fileprivate init() {
            key = 0
            folds = 0
            mask = 0
        }

        /// Whether the bytes at `p` match the first bytes of the needle. Eight bytes must be
        /// readable at `p`.
        @inline(__always)
        func matches(_ p: UnsafeRawPointer) -> Bool {
            (UInt64(littleEndian: p.loadUnaligned(as: UInt64.self)) | folds) & mask == key
        }

        /// Returns a bit for each of the first `n` positions, at most 64: whether the bytes there
        /// match the first bytes of the needle. Two positions are compared at a time, and eight
        /// bytes must be readable at each.
        @inline(__always)
        func matches(_ n: Int, _ place: (Int) -> UnsafeRawPointer) -> UInt64 {
            let keys = SIMD2(repeating: key)
            let masks = SIMD2(repeating: mask)
            let folds = SIMD2(repeating: folds)
            func pair(_ i: Int) -> SIMDMask<SIMD2<Int64>> {
                let words = SIMD2(
                    UInt64(littleEndian: place(i).loadUnaligned(as: UInt64.self)),
                    UInt64(littleEndian: place(i &+ 1).loadUnaligned(as: UInt64.self)))
                return (words | folds) & masks .== keys
            }
            var bits: UInt64 = 0
            var i = 0
            while i &+ 16 <= n {
                let a = LaneBits.joined(pair(i), pair(i &+ 2))
                let b = LaneBits.joined(pair(i &+ 4), pair(i &+ 6))
                let c = LaneBits.joined(pair(i &+ 8), pair(i &+ 10))
                let d = LaneBits.joined(pair(i &+ 12), pair(i &+ 14))
                bits |= LaneBits.of(LaneBits.joined(a, b), LaneBits.joined(c, d)) &<< UInt64(i)
                i &+= 16
            }
            while i < n {
                if matches(place(i)) { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    /// Whether the bytes at `p` match the needle. `count` bytes must be readable there.
    @inline(__always)
    func matches(_ p: UnsafeRawPointer) -> Bool {
        if count >= 8 { return matchesWords(p, UnsafeRawPointer(bytes), UnsafeRawPointer(folds)) }
        var i = 0
        while i < count {
            if p.load(fromByteOffset: i, as: UInt8.self) | folds[i] != bytes[i] { return false }
            i &+= 1
        }
        return true
    }

    /// Compares eight bytes at a time. The last comparison may overlap the one before.
    @inline(__always)
    private func matchesWords(
        _ p: UnsafeRawPointer, _ bytes: UnsafeRawPointer, _ folds: UnsafeRawPointer
    ) -> Bool {
        func differs(_ i: Int) -> Bool {
            p.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                | folds.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                != bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self)
        }
        var i = 0
        while i &+ 8 < count {
            if differs(i) { return false }
            i &+= 8
        }
        return !differs(count &- 8)
    }

    /// The first and the last byte of the needle, for comparing sixteen positions at once.
    private struct Ends {
        let last: Int
        let firsts, lasts, firstFolds, lastFolds: SIMD16<UInt8>

        @inline(__always)
        init(_ search: NeedleSearch) {
            last = search.count &- 1
            firsts = SIMD16(repeating: search.bytes[0])
            lasts = SIMD16(repeating: search.bytes[last])
            firstFolds = SIMD16(repeating: search.folds[0])
            lastFolds = SIMD16(repeating: search.folds[last])
        }

        /// Returns at which of the sixteen positions from `p` on the first and the last byte of the
        /// needle match.
        @inline(__always)
        func places(_ p: UnsafeRawPointer) -> SIMDMask<SIMD16<Int8>> {
            let a = p.loadUnaligned(as: SIMD16<UInt8>.self) | firstFolds
            let b = p.loadUnaligned(fromByteOffset: last, as: SIMD16<UInt8>.self) | lastFolds
            return (a .== firsts) .& (b .== lasts)
        }
    }

    /// Searches the first `n` cells, at most 64, of sixteen bytes each. Finds the positions at
    /// which a match of the needle may begin. At such a position, the first byte of the needle
    /// matches, and so does the last byte, `count - 1` bytes further, possibly in the next cell.
    /// Stores the positions in cell i as bits of `places[i]`.
    ///
    /// - Returns: a bit for each cell, 1 if it contains such a position.
    @inline(__always)
    func places(
        _ cells: UnsafeRawPointer, _ n: Int, into places: UnsafeMutablePointer<UInt16>
    ) -> UInt64 {
        let ends = Ends(self)
        return LaneBits.of(n) { i in
            let found = LaneBits.of(ends.places(cells + 16 &* i))
            places[i] = UInt16(truncatingIfNeeded: found)
            return found != 0
        }
    }

    /// Calls `body` with each position at which the first and the last byte of the needle match, in
    /// order. The needle must begin at `start` or later and not extend beyond `end`. Stops when
    /// `body` returns true.
    @inline(__always)
    func visitPositions(
        _ base: UnsafeRawPointer, from start: Int, to end: Int, _ body: (Int) -> Bool
    ) {
        let ends = Ends(self)
        var i = start
        while i &+ 64 &+ ends.last <= end {
            let p = base + i
            let (a, b) = (ends.places(p), ends.places(p + 16))
            let (c, d) = (ends.places(p + 32), ends.places(p + 48))
            if LaneBits.of((a .| b) .| (c .| d)) != 0 {
                let places =
                    LaneBits.of(a) | LaneBits.of(b) &<< 16 | LaneBits.of(c) &<< 32
                    | LaneBits.of(d) &<< 48
                if visit(places, i, body) { return }
            }
            i &+= 64
        }
        while i &+ 16 &+ ends.last <= end {
            if visit(LaneBits.of(ends.places(base + i)), i, body) { return }
            i &+= 16
        }
        while i &+ count <= end {
            if matches(base + i), body(i) { return }
            i &+= 1
        }
    }

    /// Calls `body` with each position whose bit is set, in order. Stops when `body` returns true,
    /// and then returns true; returns false after the last position.
    @inline(__always)
    private func visit(_ places: UInt64, _ first: Int, _ body: (Int) -> Bool) -> Bool {
        var rest = places
        while rest != 0 {
            if body(first &+ rest.trailingZeroBitCount) { return true }
            rest &= rest &- 1
        }
        return false
    }

    /// Returns the first position in `start..<end` at which the whole needle matches; nil if there
    /// is none.
    @inline(__always)
    func first(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int? {
        if count == 0 { return start <= end ? start : nil }
        var first: Int?
        visitPositions(base, from: start, to: end) { place in
            guard matches(base + place) else { return false }
            first = place
            return true
        }
        return first
    }
}
