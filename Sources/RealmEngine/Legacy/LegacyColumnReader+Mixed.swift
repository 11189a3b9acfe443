/// Mixed columns. They consist of a tree of types, a tree of words, and pools for values that do
/// not fit in a word (legacy format 6.3).
extension LegacyColumnReader {
    func mixed(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        guard let words = try part(1, .slots) else {
            throw space.wrongShape(root, "mixed column")
        }
        let numbers = LeafCells(
            LeafLayout(elements: ElementType(type: .int, isNullable: true)), capacity: rows.count)
        try self.numbers(tree(), rows, numbers.words)
        try self.numbers(words, rows, numbers.extras)
        for i in 0..<rows.count {
            cells.values[i] = try value(
                numbers.words[i], UInt64(bitPattern: numbers.extras[i]))
        }
    }

    private func value(_ type: Int64, _ data: UInt64) throws(RealmError) -> Value {
        // A mixed value can be a table in old formats. The current format has no such type.
        if type == 5 { return .null }
        // In old files, a cell that was never set may lack the tag in its lowest bit.
        if type == 0, data == 0 { return .int(0) }
        guard data & 1 == 1 else { throw bad("a mixed value without its tag") }
        let word = data >> 1
        switch type {
        case 0: return .int(Int64(bitPattern: word))
        case 12: return .int(Int64(bitPattern: word | 1 << 63))
        case 1: return .bool(word != 0)
        case 2: return .string(try bytes(word, isString: true) ?? .empty)
        case 4: return .binary(try bytes(word, isString: false) ?? .empty)
        case 7: return .timestamp(Timestamp(seconds: Int64(bitPattern: word), nanoseconds: 0))
        case 8: return try time(word)
        case 9: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
        case 10: return .double(Double(bitPattern: word))
        case 11: return .double(Double(bitPattern: word | 1 << 63))
        default: throw bad("a mixed value of the unknown type \(type)")
        }
    }

    /// Returns a string or binary of a mixed column. All strings and binaries of the column are
    /// stored in one tree, at the position `index`. A string is stored there with a final zero,
    /// which is removed.
    private func bytes(_ index: UInt64, isString: Bool) throws(RealmError) -> ByteView? {
        guard let pool = try part(2, .binaries), index < UInt64(try pool.count()) else {
            throw bad("a mixed value outside its pool")
        }
        let leaf = try pool.leaf(with: Int(index))
        let bytes = try LegacyBytes(space, leaf, isString: false, isNullable: true)
        guard let value = try bytes.value(Int(index) - leaf.start), isString else {
            return try bytes.value(Int(index) - leaf.start)
        }
        guard value.count > 0, value[value.count - 1] == 0 else {
            throw bad("a mixed string without its terminator")
        }
        return ByteView(value.base, count: value.count - 1)
    }

    private func time(_ index: UInt64) throws(RealmError) -> Value {
        guard let pool = try part(3, .slots) else { throw bad("a mixed value without its pool") }
        let times = LegacyColumnReader(
            space, LegacyColumn(type: .timestamp, attributes: .nullable, name: "", slot: 0),
            pool.root)
        guard index < UInt64(try times.count()) else { throw bad("a mixed value outside its pool") }
        return try times.cells(Int(index)..<Int(index) + 1).value(0)
    }

    private func bad(_ what: String) -> RealmError { .corrupt(what, at: root) }
}
