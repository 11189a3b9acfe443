import RealmEngine

/// Encodes a `StagedValue` in a buffer that may be moved to a temporary file. The encoding contains
/// copies of strings and binaries.
extension StagedValue {
    /// Appends the value and all nested values to `memory`.
    func write(to memory: SpillBuffer) throws(RealmError) {
        switch self {
        case .value(let value):
            try memory.add(Kind.value, 0)
            try memory.add(value)
        case .reference(let reference):
            switch reference.name {
            case .objectKey(let key):
                try memory.add(Kind.objectKey, Int(reference.table.raw))
                try memory.add(words: key.raw)
            case .primaryKey(let value):
                try memory.add(Kind.primaryKey, Int(reference.table.raw))
                try memory.add(value)
            }
        case .list(let elements):
            try memory.add(Kind.list, elements.count)
            for element in elements { try element.write(to: memory) }
        case .dictionary(let entries):
            try memory.add(Kind.dictionary, entries.count)
            for entry in entries {
                try memory.add(entry.key)
                try entry.value.write(to: memory)
            }
        case .object(let object):
            try memory.add(Kind.object, Int(object.table.raw))
            try memory.add(words: Int64(object.fields.count))
            for field in object.fields {
                try memory.add(words: Int64(field.column))
                try field.value.write(to: memory)
            }
        }
    }

    /// Reads a value that `write` wrote at `cursor`, and moves the cursor past it.
    init(at cursor: inout StoredCursor) {
        let (kind, number) = cursor.head()
        switch kind {
        case .value: self = .value(cursor.value())
        case .objectKey:
            self = .reference(
                ObjectReference(
                    table: TableKey(UInt32(number)),
                    name: .objectKey(ObjectKey(cursor.word()))))
        case .primaryKey:
            self = .reference(
                ObjectReference(
                    table: TableKey(UInt32(number)), name: .primaryKey(cursor.value())))
        case .list: self = .list((0..<number).map { _ in StagedValue(at: &cursor) })
        case .dictionary:
            self = .dictionary(
                (0..<number).map { _ in
                    let key = cursor.value()
                    return (key: key, value: StagedValue(at: &cursor))
                })
        case .object:
            let count = Int(cursor.word())
            self = .object(
                StagedObject(
                    table: TableKey(UInt32(number)),
                    fields: (0..<count).map { _ in
                        let column = Int(cursor.word())
                        return (column: column, value: StagedValue(at: &cursor))
                    }))
        }
    }

    fileprivate enum Kind: Int64 {
        case value, objectKey, primaryKey, list, dictionary, object
    }
}

extension SpillBuffer {
    fileprivate func add(words word: Int64) throws(RealmError) {
        try add(8).storeBytes(of: word, as: Int64.self)
    }

    fileprivate func add(_ kind: StagedValue.Kind, _ number: Int) throws(RealmError) {
        try add(words: kind.rawValue)
        try add(words: Int64(number))
    }

    /// Appends a value, the size in bytes of its string or binary (0 for other types), and the
    /// string or binary itself.
    fileprivate func add(_ value: Value) throws(RealmError) {
        let place = try add(MemoryLayout<Value>.stride)
        let skipped = try add(8)
        let start = count
        let copied = try value.copied { (bytes) throws(RealmError) in try add(bytes) }
        place.initializeMemory(as: Value.self, to: copied)
        skipped.storeBytes(of: Int64(count - start), as: Int64.self)
    }
}

/// Reads stored values one after the other.
struct StoredCursor {
    private var at: UnsafeRawPointer

    init(_ start: UnsafeRawPointer) { at = start }

    fileprivate mutating func word() -> Int64 {
        defer { at += 8 }
        return at.load(as: Int64.self)
    }

    fileprivate mutating func head() -> (StagedValue.Kind, Int) {
        let kind = StagedValue.Kind(rawValue: word())!
        return (kind, Int(word()))
    }

    fileprivate mutating func value() -> Value {
        let value = at.assumingMemoryBound(to: Value.self).pointee
        at += MemoryLayout<Value>.stride
        let skipped = Int(word())
        at += (skipped + 7) & ~7
        return value
    }
}
