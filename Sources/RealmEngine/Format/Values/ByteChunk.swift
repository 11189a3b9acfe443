/// Up to 16 bytes of text in two words. Finding special bytes in a string is faster for several
/// bytes at a time, and nothing after the end of the string is read.
///
/// Words are used instead of a vector type, with which comparing and finding the first match would
/// be calls of generic functions.
struct ByteChunk {
    /// The bytes of text, the first one lowest. If there are fewer than 16, spaces fill the rest of
    /// the words.
    let low: UInt64
    let high: UInt64

    /// Result of a search in the two eight-byte words of a chunk: the top bit of a byte is 1 if the
    /// search matches the byte. Only the first match in each word is reliable; later ones may be
    /// wrong.
    typealias Marks = (low: UInt64, high: UInt64)

    /// Loads the first `count` bytes at `base`, at most 16.
    @inline(__always)
    init(_ base: UnsafeRawPointer, count: Int) {
        if count >= 16 {
            low = Self.load(base, at: 0)
            high = Self.load(base, at: 8)
        } else if count > 8 {
            let used = UInt64(count &- 8) &* 8
            low = Self.load(base, at: 0)
            // These eight bytes overlap the first word, so that nothing after the text is read.
            high = Self.load(base, at: count &- 8) &>> (64 &- used) | Self.spaces &<< used
        } else {
            low = count == 8 ? Self.load(base, at: 0) : Self.loadShort(base, count)
            high = Self.spaces
        }
    }

    @inline(__always)
    func store(to out: UnsafeMutableRawPointer) {
        out.storeBytes(of: low.littleEndian, as: UInt64.self)
        out.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// Calls `find` with each of the two words of the chunk. `find` marks bytes by setting their
    /// top bits. Returns these top bits and ignores the other bits.
    @inline(__always)
    func marks(_ find: (UInt64) -> UInt64) -> Marks {
        (find(low) & Self.topBits, find(high) & Self.topBits)
    }

    /// Returns the index of the first marked byte; 16 if there is none.
    @inline(__always)
    static func first(_ marks: Marks) -> Int {
        if marks.low != 0 { return marks.low.trailingZeroBitCount >> 3 }
        return 8 &+ (marks.high.trailingZeroBitCount >> 3)
    }

    /// Returns a word whose eight bytes are all `byte`.
    @inline(__always)
    static func repeated(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// Marks each byte of `word` that equals `byte`: sets the top bit of the byte in the result.
    /// Other bits of the result are arbitrary, and bytes after the first marked one may be marked
    /// wrongly.
    @inline(__always)
    static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ repeated(byte)
        return (difference &- repeated(1)) & ~difference
    }

    private static var topBits: UInt64 { repeated(0x80) }
    private static var spaces: UInt64 { repeated(0x20) }

    @inline(__always)
    private static func load(_ base: UnsafeRawPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Loads up to seven bytes into the lowest bytes of an eight-byte word; the other bytes are
    /// spaces.
    @inline(__always)
    private static func loadShort(_ base: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let blanks = spaces &<< (UInt64(count) &* 8)
        if count >= 4 {
            let first = UInt64(base.loadUnaligned(as: UInt32.self))
            let last = UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            return first | last &<< (UInt64(count &- 4) &* 8) | blanks
        }
        if count == 0 { return blanks }
        let middle = count >> 1
        let first = UInt64(base.load(as: UInt8.self))
        let second = UInt64(base.load(fromByteOffset: middle, as: UInt8.self))
        let last = UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
        let ends = first | last &<< (UInt64(count &- 1) &* 8)
        return ends | second &<< (UInt64(middle) &* 8) | blanks
    }
}
