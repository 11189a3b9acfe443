/// A piece of text to be searched for, prepared once: the search looks at 16 places at a time and
/// compares only where the first and the last byte fit.
///
/// A letter that folds differs from its other case in one bit, 0x20, so folding is an OR before the
/// comparison and exact.
final class Needle: @unchecked Sendable {
    /// With folding, in lower case; behind them 0x20 for every byte that folds. Never changed.
    private let memory: UnsafeMutablePointer<UInt8>
    private let search: NeedleSearch

    var count: Int { search.count }

    /// The cell of `width` bytes a text like this is stored in, and which of its bits fold; nil if
    /// it is too long.
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

    /// Calls `body` with a search that is valid inside it.
    @inline(__always)
    func withSearch<Result>(_ body: (NeedleSearch) -> Result) -> Result {
        withExtendedLifetime(self) { body(search) }
    }
}

/// A text as a short cell holds it, and which of its bits fold.
final class TextCell: Sendable {
    let bytes: [UInt8]
    let folds: [UInt8]

    init(bytes: [UInt8], folds: [UInt8]) {
        self.bytes = bytes
        self.folds = folds
    }
}

/// A needle while it is being searched for.
struct NeedleSearch {
    private let bytes: UnsafePointer<UInt8>
    private let folds: UnsafePointer<UInt8>
    let count: Int
    /// The first eight bytes, or all there are.
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

    /// Up to eight bytes compared at once.
    struct Head {
        fileprivate(set) var key: UInt64
        fileprivate(set) var folds: UInt64
        fileprivate(set) var mask: UInt64

        /// All eight bytes at `key`, of which those at `folds` fold.
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

        /// Whether they stand at `p`, where eight bytes can be read.
        @inline(__always)
        func matches(_ p: UnsafeRawPointer) -> Bool {
            (UInt64(littleEndian: p.loadUnaligned(as: UInt64.self)) | folds) & mask == key
        }

        /// Outcomes for the first `n` of at most 64 places, each of which eight bytes can be read
        /// at: two places to a comparison.
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

    /// Whether the needle stands at `p`, where `count` bytes can be read.
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

    /// Eight bytes at a time; the last eight may overlap those before.
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

    /// Places in each of the first `n` of at most 64 cells of sixteen bytes where the needle's first byte
    /// stands, and its last as far after it as in the needle: a bit each. Bytes of the next cell count.
    ///
    /// - Returns: cells with such a place.
    @inline(__always)
    func places(
        _ cells: UnsafeRawPointer, _ n: Int, into places: UnsafeMutablePointer<UInt16>
    ) -> UInt64 {
        folds[0] | folds[count &- 1] == 0
            ? self.places(cells, n, folding: false, into: places)
            : self.places(cells, n, folding: true, into: places)
    }

    @inline(__always)
    private func places(
        _ cells: UnsafeRawPointer, _ n: Int, folding: Bool,
        into places: UnsafeMutablePointer<UInt16>
    ) -> UInt64 {
        let last = count &- 1
        let firsts = SIMD16<UInt8>(repeating: bytes[0])
        let lasts = SIMD16<UInt8>(repeating: bytes[last])
        let firstFolds = SIMD16<UInt8>(repeating: folds[0])
        let lastFolds = SIMD16<UInt8>(repeating: folds[last])
        let ends = cells + last
        var bits: UInt64 = 0
        for i in 0..<n {
            var a = cells.loadUnaligned(fromByteOffset: 16 &* i, as: SIMD16<UInt8>.self)
            var b = ends.loadUnaligned(fromByteOffset: 16 &* i, as: SIMD16<UInt8>.self)
            if folding {
                a |= firstFolds
                b |= lastFolds
            }
            let found = LaneBits.of((a .== firsts) .& (b .== lasts))
            places[i] = UInt16(truncatingIfNeeded: found)
            bits |= (found == 0 ? 0 : 1) &<< UInt64(i)
        }
        return bits
    }

    /// Calls `body` with the places before `end`, in order, where the needle may stand: its first and its
    /// last byte do, and it does not pass `end`.
    @inline(__always)
    func visitPlaces(_ base: UnsafeRawPointer, to end: Int, _ body: (Int) -> Void) {
        folds[0] | folds[count &- 1] == 0
            ? visitPlaces(base, to: end, folding: false, body)
            : visitPlaces(base, to: end, folding: true, body)
    }

    @inline(__always)
    private func visitPlaces(
        _ base: UnsafeRawPointer, to end: Int, folding: Bool, _ body: (Int) -> Void
    ) {
        let last = count &- 1
        let firsts = SIMD16<UInt8>(repeating: bytes[0])
        let lasts = SIMD16<UInt8>(repeating: bytes[last])
        let firstFolds = SIMD16<UInt8>(repeating: folds[0])
        let lastFolds = SIMD16<UInt8>(repeating: folds[last])
        @inline(__always)
        func found(_ i: Int) -> UInt64 {
            var a = base.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
            var b = base.loadUnaligned(fromByteOffset: i &+ last, as: SIMD16<UInt8>.self)
            if folding {
                a |= firstFolds
                b |= lastFolds
            }
            return LaneBits.of((a .== firsts) .& (b .== lasts))
        }
        var i = 0
        while i &+ 64 &+ last <= end {
            var places =
                found(i) | found(i &+ 16) &<< 16 | found(i &+ 32) &<< 32 | found(i &+ 48) &<< 48
            while places != 0 {
                body(i &+ places.trailingZeroBitCount)
                places &= places &- 1
            }
            i &+= 64
        }
        while i &+ count <= end {
            if base.load(fromByteOffset: i, as: UInt8.self) | folds[0] == bytes[0],
                base.load(fromByteOffset: i &+ last, as: UInt8.self) | folds[last] == bytes[last]
            {
                body(i)
            }
            i &+= 1
        }
    }

    /// Where the needle stands first at or after `start` and before `end`, which it may not
    /// pass; nil when it does not.
    @inline(__always)
    func first(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int? {
        if count == 0 { return start <= end ? start : nil }
        let last = count &- 1
        let firsts = SIMD16<UInt8>(repeating: bytes[0])
        let lasts = SIMD16<UInt8>(repeating: bytes[last])
        let firstFolds = SIMD16<UInt8>(repeating: folds[0])
        let lastFolds = SIMD16<UInt8>(repeating: folds[last])
        var i = start
        while i &+ 16 &+ last <= end {
            let a = base.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self) | firstFolds
            let b =
                base.loadUnaligned(fromByteOffset: i &+ last, as: SIMD16<UInt8>.self) | lastFolds
            var found = LaneBits.of((a .== firsts) .& (b .== lasts))
            while found != 0 {
                let at = i &+ found.trailingZeroBitCount
                if matches(base + at) { return at }
                found &= found &- 1
            }
            i &+= 16
        }
        while i &+ count <= end {
            if matches(base + i) { return i }
            i &+= 1
        }
        return nil
    }
}
