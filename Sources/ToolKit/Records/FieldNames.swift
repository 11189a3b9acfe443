import RealmEngine

/// Finds which known name a field has, expecting the order of the record before.
///
/// Records of one source nearly always list their fields alike, so that one comparison answers.
/// Unknown names are remembered too. Not thread-safe.
struct FieldNames {
    private struct Entry {
        let offset: Int32
        let count: Int32
        /// None for a name that is not known.
        let index: Int32
    }

    private var names: [UInt8] = []
    private var entries: [Entry] = []
    private var entryOfName: [[UInt8]: Int] = [:]
    /// The entry that stood at each place last.
    private var expected: [Int32] = []
    private let mostEntries: Int

    /// Unknown names and places beyond these are looked up each time.
    private static let mostUnknown = 256
    private static let mostPlaces = 4096
    private static let longestUnknown = 256

    /// `names` in the order of the indexes to be answered; no name twice.
    init(_ names: [String]) {
        mostEntries = names.count + Self.mostUnknown
        for (index, name) in names.enumerated() { _ = add(Array(name.utf8), index: index) }
    }

    /// The index of `key`, the field at `place` of its record; nil if it is none of the names.
    @inline(__always)
    mutating func index(of key: ByteView, at place: Int) -> Int? {
        if place < expected.count {
            let expected = Int(expected[place])
            if expected >= 0 {
                let entry = entries[expected]
                if isSame(key, entry) { return entry.index < 0 ? nil : Int(entry.index) }
            }
        }
        return search(key, place)
    }

    @inline(__always)
    private func isSame(_ key: ByteView, _ entry: Entry) -> Bool {
        guard key.count == Int(entry.count) else { return false }
        return names.withUnsafeBytes {
            guard let base = $0.baseAddress else { return true }
            return ByteView(base + Int(entry.offset), count: key.count) == key
        }
    }

    @inline(never)
    private mutating func search(_ key: ByteView, _ place: Int) -> Int? {
        let name = key.bytes
        guard let found = entryOfName[name] ?? addUnknown(name) else { return nil }
        if place < Self.mostPlaces {
            while expected.count <= place { expected.append(-1) }
            expected[place] = Int32(found)
        }
        return entries[found].index < 0 ? nil : Int(entries[found].index)
    }

    private mutating func addUnknown(_ name: [UInt8]) -> Int? {
        guard entries.count < mostEntries, name.count <= Self.longestUnknown else { return nil }
        return add(name, index: -1)
    }

    private mutating func add(_ name: [UInt8], index: Int) -> Int {
        let entry = Entry(
            offset: Int32(names.count), count: Int32(name.count), index: Int32(index))
        names += name
        entries.append(entry)
        entryOfName[name] = entries.count - 1
        return entries.count - 1
    }
}
