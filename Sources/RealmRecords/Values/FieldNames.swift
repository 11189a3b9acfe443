import RealmEngine

/// Maps field names to indexes. Expects the fields in the order of the previous record.
///
/// Records of one source nearly always list their fields in the same order, so one comparison
/// usually suffices. Unknown names are cached, too. Not thread-safe.
package final class FieldNames {
    private struct Entry {
        let name: ByteView
        /// Index in the array of known names; -1 for an unknown name.
        let index: Int32
    }

    /// Memory of the names in `entries`, at fixed addresses.
    private let arena = ScratchArena()
    private var entries: UnsafeMutablePointer<Entry>
    private var count = 0
    private var entryOfName: [[UInt8]: Int] = [:]
    /// For each position of a field in a record, the name that was most recently read at this
    /// position, as an index in `entries`; -1 for none. Names beyond the limits of the cache are
    /// not recorded.
    private let expected: UnsafeMutablePointer<Int32>
    private let maximumEntryCount: Int

    /// Limits of the cache. Names beyond them are looked up for each record: unknown names after
    /// the first 256 or longer than 256 bytes, and names at positions from 4096 on.
    private static let maximumCachedUnknownNames = 256
    private static let maximumCachedPositions = 4096
    private static let maximumUnknownNameLength = 256

    /// Returns field names for the columns of a header. The name of an unnamed column is its
    /// number, from 1.
    package static func named(_ header: [String]) -> [String] {
        header.enumerated().map { $1.isEmpty ? String($0 + 1) : $1 }
    }

    /// Returns the names that `named` gives to unnamed columns.
    package static func unnamed(_ header: [String]) -> [String] {
        zip(named(header), header).filter { $1.isEmpty }.map { $0.0 }
    }

    /// - Parameter names: the known names, without duplicates. `index(of:at:)` returns an index
    ///   into this array.
    package init(_ names: [String]) {
        maximumEntryCount = names.count + Self.maximumCachedUnknownNames
        entries = .allocate(capacity: maximumEntryCount)
        expected = .allocate(capacity: Self.maximumCachedPositions)
        expected.initialize(repeating: -1, count: Self.maximumCachedPositions)
        for (index, name) in names.enumerated() { _ = add(Array(name.utf8), index: index) }
    }

    deinit {
        entries.deallocate()
        expected.deallocate()
    }

    /// Returns the index of `key`, the field at position `place` of its record; nil for an unknown
    /// name.
    @inline(__always)
    package func index(of key: ByteView, at place: Int) -> Int? {
        if place < Self.maximumCachedPositions {
            let expected = Int(expected[place])
            if expected >= 0, entries[expected].name == key {
                let index = entries[expected].index
                return index < 0 ? nil : Int(index)
            }
        }
        return search(key, place)
    }

    @inline(never)
    private func search(_ key: ByteView, _ place: Int) -> Int? {
        let name = key.bytes
        guard let found = entryOfName[name] ?? addUnknown(name) else { return nil }
        if place < Self.maximumCachedPositions { expected[place] = Int32(found) }
        return entries[found].index < 0 ? nil : Int(entries[found].index)
    }

    private func addUnknown(_ name: [UInt8]) -> Int? {
        guard count < maximumEntryCount, name.count <= Self.maximumUnknownNameLength else {
            return nil
        }
        return add(name, index: -1)
    }

    private func add(_ name: [UInt8], index: Int) -> Int {
        let copy = arena.allocate(name.count)
        name.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                copy.copyMemory(from: base, byteCount: bytes.count)
            }
        }
        (entries + count).initialize(
            to: Entry(name: ByteView(copy, count: name.count), index: Int32(index)))
        entryOfName[name] = count
        count += 1
        return count - 1
    }
}
