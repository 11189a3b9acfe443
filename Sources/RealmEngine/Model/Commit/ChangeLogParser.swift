/// Parses one changeset: the instructions that describe the changes of one commit (storage format
/// 7.3).
///
/// References the bytes of the changeset, which must outlive the parser. Throws `corrupt` at the
/// first invalid byte.
struct ChangeLogParser {
    enum Instruction: Equatable {
        case insertTable(TableKey)
        case eraseTable(TableKey)
        case renameTable(TableKey)
        case selectTable(TableKey)
        case createObject(ObjectKey)
        case removeObject(ObjectKey)
        case set(ColumnKey, ObjectKey)
        case insertColumn(ColumnKey)
        case eraseColumn(ColumnKey)
        case renameColumn(ColumnKey)
        /// Selects the collection that the following instructions change. `path` contains the keys
        /// of nested collections, outermost first; empty for the property's own collection.
        case selectCollection(ColumnKey, ObjectKey, path: [Int64])
        case collectionInsert(Int64)
        case collectionSet(Int64)
        case collectionMove(from: Int64, to: Int64)
        case collectionErase(Int64)
        case collectionClear(oldCount: Int64)
        case typedLinkChange(ColumnKey, TableKey)
    }

    private let bytes: ByteView
    private var position = 0
    private var hasTable = false
    private var hasCollection = false

    init(_ bytes: ByteView) { self.bytes = bytes }

    /// Returns the next instruction; nil at the end. Throws `corrupt`.
    mutating func next() throws(RealmError) -> Instruction? {
        guard position < bytes.count else { return nil }
        let opcode = bytes[position]
        position += 1
        switch opcode {
        case 1...10: return try tableInstruction(opcode)
        case 11...29: return try objectInstruction(opcode)
        case 43:
            try require(hasTable, "a table")
            return .typedLinkChange(try columnKey(), try tableKey())
        case 30, 45: return try selection(isNested: opcode == 45)
        default: return try collectionInstruction(opcode)
        }
    }

    private mutating func tableInstruction(_ opcode: UInt8) throws(RealmError) -> Instruction {
        hasTable = opcode == 10
        hasCollection = false
        switch opcode {
        case 1: return .insertTable(try tableKey())
        case 2: return .eraseTable(try tableKey())
        case 3: return .renameTable(try tableKey())
        case 10:
            guard try integer() == 0 else { throw bad("a table below the top level") }
            return .selectTable(try tableKey())
        default: throw bad("the unknown instruction \(opcode)")
        }
    }

    private mutating func objectInstruction(_ opcode: UInt8) throws(RealmError) -> Instruction {
        try require(hasTable, "a table")
        switch opcode {
        case 11: return .createObject(ObjectKey(try integer()))
        case 12: return .removeObject(ObjectKey(try integer()))
        case 13: return .set(try columnKey(), ObjectKey(try integer()))
        case 20: return .insertColumn(try columnKey())
        case 21: return .eraseColumn(try columnKey())
        case 22: return .renameColumn(try columnKey())
        default: throw bad("the unknown instruction \(opcode)")
        }
    }

    private mutating func selection(isNested: Bool) throws(RealmError) -> Instruction {
        try require(hasTable, "a table")
        hasCollection = true
        let column = try columnKey()
        let object = ObjectKey(try integer())
        var path: [Int64] = []
        if isNested {
            let count = try integer()
            // Each step of the path takes at least one byte, so a larger count is damage.
            guard count >= 1, count <= Int64(bytes.count - position) else {
                throw bad("a path of \(count) steps")
            }
            for _ in 0..<count { path.append(try integer()) }
        }
        return .selectCollection(column, object, path: path)
    }

    /// Parses an instruction that changes a collection. Accepts the obsolete opcodes for
    /// dictionaries and sets.
    private mutating func collectionInstruction(
        _ opcode: UInt8
    ) throws(RealmError) -> Instruction {
        try require(hasCollection, "a collection")
        switch opcode {
        case 31, 40: return .collectionInsert(try integer())
        case 32: return .collectionSet(try integer())
        case 33: return .collectionMove(from: try integer(), to: try integer())
        case 35, 41: return .collectionErase(try integer())
        case 36, 42, 44: return .collectionClear(oldCount: try integer())
        case 37: return .collectionInsert(try legacyEntry())
        case 38: return .collectionSet(try legacyEntry())
        case 39: return .collectionErase(try legacyEntry())
        default: throw bad("the unknown instruction \(opcode)")
        }
    }

    /// Parses the operands of an obsolete dictionary instruction: type, length and bytes of the
    /// key, then an index, which is returned.
    private mutating func legacyEntry() throws(RealmError) -> Int64 {
        guard try integer() == 2 else { throw bad("a dictionary key that is no string") }
        let count = try integer()
        guard count >= 0, count <= Int64(bytes.count - position) else {
            throw bad("a dictionary key of \(count) bytes")
        }
        position += Int(count)
        return try integer()
    }

    // MARK: Operands

    private mutating func tableKey() throws(RealmError) -> TableKey {
        let raw = try integer()
        guard let key = UInt32(exactly: raw) else { throw bad("table key \(raw)") }
        return TableKey(key)
    }

    private mutating func columnKey() throws(RealmError) -> ColumnKey { ColumnKey(try integer()) }

    /// Parses an integer that is stored as seven bits per byte, least significant first; the last
    /// byte has six bits and the sign. Like the reference engine, accepts unnecessary zero bits at
    /// the end, but at most ten bytes, the tenth of which may contain only the sign.
    private mutating func integer() throws(RealmError) -> Int64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 70 {
            let byte = bytes[position]
            position += 1
            if byte & 0x80 == 0 {
                let part = UInt64(byte & 0x3F)
                guard shift < 63 || part == 0 else { throw bad("a number of more than 64 bits") }
                value |= part << shift
                let number = Int64(bitPattern: value)
                return byte & 0x40 == 0 ? number : ~number
            }
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
        }
        throw bad("a number without an end")
    }

    private func require(_ isSelected: Bool, _ what: String) throws(RealmError) {
        if !isSelected { throw bad("an instruction before \(what) was selected") }
    }

    private func bad(_ what: String) -> RealmError {
        .corrupt("\(what) before byte \(position)", in: "changeset")
    }
}
