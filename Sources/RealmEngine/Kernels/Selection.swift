/// Selected rows of a cluster leaf, as one bit for each of up to 256 rows.
public struct Selection: Equatable, Sendable {
    var word0: UInt64
    var word1: UInt64
    var word2: UInt64
    var word3: UInt64

    @inline(__always)
    init(_ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    static let none = Selection(0, 0, 0, 0)
    static let all = Selection(.max, .max, .max, .max)

    /// Selects the first `count` rows.
    @inline(__always)
    init(first count: Int) {
        self.init(
            Self.mask(count), Self.mask(count &- 64), Self.mask(count &- 128),
            Self.mask(count &- 192))
    }

    /// Makes a selection for up to 256 rows. `word` returns the bits of up to 64 rows; its
    /// arguments are the first of these rows and their number.
    @inline(__always)
    init(_ count: Int, _ word: (Int, Int) -> UInt64) {
        self = .none
        word0 = word(0, min(64, count))
        if count > 64 { word1 = word(64, min(64, count &- 64)) }
        if count > 128 { word2 = word(128, min(64, count &- 128)) }
        if count > 192 { word3 = word(192, min(64, count &- 192)) }
    }

    /// Returns a word whose lowest `count` bits are 1: none if `count` is negative, all if it is
    /// more than 64.
    @inline(__always)
    static func mask(_ count: Int) -> UInt64 {
        count <= 0 ? 0 : count >= 64 ? .max : (1 &<< UInt64(count)) &- 1
    }

    @inline(__always)
    subscript(i: Int) -> UInt64 {
        get {
            switch i {
            case 0: word0
            case 1: word1
            case 2: word2
            default: word3
            }
        }
        set {
            switch i {
            case 0: word0 = newValue
            case 1: word1 = newValue
            case 2: word2 = newValue
            default: word3 = newValue
            }
        }
    }

    @inline(__always) public var isEmpty: Bool { word0 | word1 | word2 | word3 == 0 }

    /// Number of selected rows. The bits of all words are counted at the same time: first in groups
    /// of two and four bits, then in bytes, which a multiplication adds.
    @inline(__always) public var count: Int {
        func fours(_ a: UInt64) -> UInt64 {
            let pairs = a &- (a &>> 1 & 0x5555_5555_5555_5555)
            return (pairs & 0x3333_3333_3333_3333) &+ (pairs &>> 2 & 0x3333_3333_3333_3333)
        }
        let low: UInt64 = 0x0F0F_0F0F_0F0F_0F0F
        // The number of ones in four bits, in two words together, is at most eight.
        let front = fours(word0) &+ fours(word1)
        let back = fours(word2) &+ fours(word3)
        let pairs = (front & low) &+ (front &>> 4 & low) &+ (back & low) &+ (back &>> 4 & low)
        let even: UInt64 = 0x00FF_00FF_00FF_00FF
        let sums = (pairs & even) &+ (pairs &>> 8 & even)
        return Int((sums &* 0x0001_0001_0001_0001) &>> 48)
    }

    /// The first selected row; nil if there is none.
    @inline(__always) var first: Int? {
        for i in 0..<4 where self[i] != 0 { return i &* 64 &+ self[i].trailingZeroBitCount }
        return nil
    }

    /// Number of selected rows before the first row that is not selected.
    var leadingCount: Int {
        for i in 0..<4 where self[i] != .max {
            return i &* 64 &+ (~self[i]).trailingZeroBitCount
        }
        return 256
    }

    @inline(__always)
    public func contains(_ row: Int) -> Bool { self[row >> 6] >> UInt64(row & 63) & 1 != 0 }

    @inline(__always)
    mutating func insert(_ row: Int) { self[row >> 6] |= 1 &<< UInt64(row & 63) }

    @inline(__always)
    static func & (a: Selection, b: Selection) -> Selection {
        Selection(
            a.word0 & b.word0, a.word1 & b.word1, a.word2 & b.word2, a.word3 & b.word3)
    }

    @inline(__always)
    static func | (a: Selection, b: Selection) -> Selection {
        Selection(
            a.word0 | b.word0, a.word1 | b.word1, a.word2 | b.word2, a.word3 | b.word3)
    }

    @inline(__always)
    func subtracting(_ b: Selection) -> Selection {
        Selection(word0 & ~b.word0, word1 & ~b.word1, word2 & ~b.word2, word3 & ~b.word3)
    }

    /// Returns the rows of this selection for which `body` returns true.
    @inline(__always)
    func filter(
        _ body: (Int) throws(RealmError) -> Bool
    ) throws(RealmError) -> Selection {
        var result = Selection.none
        for i in 0..<4 {
            var rest = self[i]
            var kept: UInt64 = 0
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                if try body(i &* 64 &+ bit) { kept |= 1 &<< UInt64(bit) }
                rest &= rest &- 1
            }
            result[i] = kept
        }
        return result
    }

    /// Keeps only the selected rows for which `body` returns true.
    @inline(__always)
    mutating func filterRows(_ body: (Int) -> Bool) {
        for i in 0..<4 {
            var rest = self[i]
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest &- 1
                if !body(i &* 64 &+ bit) { self[i] &= ~(1 &<< UInt64(bit)) }
            }
        }
    }

    /// Calls `body` with every selected row, in order.
    @inline(__always)
    public func visit(_ body: (Int) throws(RealmError) -> Void) throws(RealmError) {
        for i in 0..<4 {
            var rest = self[i]
            while rest != 0 {
                try body(i &* 64 &+ rest.trailingZeroBitCount)
                rest &= rest &- 1
            }
        }
    }

    /// Calls `body`, which cannot throw, with every selected row, in order. A word in which all
    /// bits are set is visited by a simpler loop.
    @inline(__always)
    func each(_ body: (Int) -> Void) {
        for i in 0..<4 {
            var rest = self[i]
            if rest == .max {
                for bit in 0..<64 { body(i &* 64 &+ bit) }
                continue
            }
            while rest != 0 {
                body(i &* 64 &+ rest.trailingZeroBitCount)
                rest &= rest &- 1
            }
        }
    }

    /// Returns the first `limit` selected rows.
    func prefix(_ limit: Int) -> Selection {
        if count <= limit { return self }
        var result = Selection.none
        var left = limit
        for i in 0..<4 {
            var rest = self[i]
            while rest != 0, left > 0 {
                result[i] |= rest & (0 &- rest)
                rest &= rest &- 1
                left -= 1
            }
        }
        return result
    }
}
