/// Cache of the ordinals that `ValueNumbers` assigned to short texts. Each text is stored as its
/// bytes in three words of eight bytes. A cached text need not be hashed with the secret of
/// `ValueNumbers`. The table grows up to a limit. The number of entries read per lookup is limited
/// whatever the file contains.
///
/// Confined to one thread.
final class WordNumbers {
    fileprivate struct Entry {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var number = WordNumbers.unknown
    }

    /// Placeholder for the ordinal of a text that is not cached.
    static let unknown = UInt32.max

    private var entries: UnsafeMutablePointer<Entry>
    private var bits = 9
    private var count = 0

    /// Number of consecutive entries that a lookup compares, starting at the entry that the text's
    /// hash selects.
    private static let probes = 4
    private static let maximumBits = 13

    init() { entries = Self.empty(bits) }

    deinit { entries.deallocate() }

    /// Allocates `1 << bits` empty entries, and further entries for probing past the last one.
    private static func empty(_ bits: Int) -> UnsafeMutablePointer<Entry> {
        let size = 1 << bits + probes
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: size)
        entries.initialize(repeating: Entry(), count: size)
        return entries
    }

    /// The hash table as pointers for lookups. Copying this struct needs no reference counting.
    struct Table {
        fileprivate let entries: UnsafePointer<Entry>
        fileprivate let shift: UInt64

        /// Returns the ordinal of a text that is given as three words of eight bytes; `unknown` if
        /// the text is not cached.
        @inline(__always)
        func number(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> UInt32 {
            var entry = entries + WordNumbers.place(first, second, third, shift)
            for _ in 0..<WordNumbers.probes {
                // The operators `^` and `|` have the same precedence in Swift.
                let difference =
                    (entry.pointee.first ^ first) | (entry.pointee.second ^ second)
                    | (entry.pointee.third ^ third)
                // An empty entry ends the search even if its words equal the text's: its number is
                // `unknown`.
                if difference == 0 || entry.pointee.number == WordNumbers.unknown {
                    return entry.pointee.number
                }
                entry += 1
            }
            return WordNumbers.unknown
        }
    }

    /// The hash table for lookups; valid until the next insertion.
    @inline(__always)
    var table: Table { Table(entries: UnsafePointer(entries), shift: UInt64(64 - bits)) }

    @inline(__always)
    fileprivate static func place(
        _ first: UInt64, _ second: UInt64, _ third: UInt64, _ shift: UInt64
    ) -> Int {
        let mixed =
            (first ^ (second &<< 29 | second &>> 35) ^ (third &<< 17 | third &>> 47))
            &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed &>> shift)
    }

    /// Caches the ordinal `number` of a text that is given as three words of eight bytes. Does
    /// nothing if all entries that a lookup of this text compares are in use.
    func insert(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ number: UInt32) {
        if count * 4 >= 1 << bits, bits < Self.maximumBits { grow() }
        store(Entry(first: first, second: second, third: third, number: number))
    }

    private func store(_ new: Entry) {
        let place = Self.place(new.first, new.second, new.third, UInt64(64 - bits))
        for entry in entries + place..<entries + place + Self.probes {
            let isFree = entry.pointee.number == Self.unknown
            guard isFree || isSame(entry.pointee, new) else { continue }
            entry.pointee = new
            if isFree { count += 1 }
            return
        }
    }

    private func isSame(_ a: Entry, _ b: Entry) -> Bool {
        a.first == b.first && a.second == b.second && a.third == b.third
    }

    private func grow() {
        let (old, size) = (entries, 1 << bits + Self.probes)
        bits += 2
        entries = Self.empty(bits)
        count = 0
        for i in 0..<size where old[i].number != Self.unknown { store(old[i]) }
        old.deallocate()
    }
}
