/// Builds the changeset of one commit. A changeset identifies the changed objects and properties
/// but does not contain values (storage format 7.3).
struct ChangeLogWriter: ~Copyable {
    private var buffer = ByteBuffer(capacity: 256)
    private var table: TableKey?
    private var collection: (ColumnKey, ObjectKey)?
    /// Keys of the nested collections that lead from the property's own collection to the selected
    /// one, outermost first; empty if the property's own collection is selected.
    private var path: [Int64] = []

    private enum Opcode: UInt8 {
        case insertTable = 1
        case eraseTable = 2
        case renameTable = 3
        case selectTable = 10
        case createObject = 11
        case removeObject = 12
        case set = 13
        case insertColumn = 20
        case eraseColumn = 21
        case renameColumn = 22
        case selectCollection = 30
        case collectionInsert = 31
        case collectionSet = 32
        case collectionMove = 33
        case collectionErase = 35
        case collectionClear = 36
        case typedLinkChange = 43
        case selectCollectionByPath = 45
    }

    var bytes: UnsafeRawBufferPointer { buffer.bytes }

    /// Discards the bytes so far, which the caller has stored elsewhere. Further instructions
    /// continue the same changeset.
    mutating func discardBytes() { buffer.removeAll() }

    private mutating func emit(_ opcode: Opcode, _ first: Int64) {
        buffer.append(opcode.rawValue)
        emit(first)
    }

    private mutating func emit(_ opcode: Opcode, _ first: Int64, _ second: Int64) {
        emit(opcode, first)
        emit(second)
    }

    /// Writes an integer as seven bits per byte, least significant first; the last byte has six
    /// bits and the sign.
    private mutating func emit(_ operand: Int64) {
        var v = UInt64(bitPattern: operand < 0 ? ~operand : operand)
        let place = buffer.reserve(10)
        var i = 0
        while v >= 64 {
            place.storeBytes(
                of: 0x80 | UInt8(truncatingIfNeeded: v), toByteOffset: i, as: UInt8.self)
            v >>= 7
            i &+= 1
        }
        let last = (operand < 0 ? 0x40 : 0) | UInt8(truncatingIfNeeded: v)
        place.storeBytes(of: last, toByteOffset: i, as: UInt8.self)
        buffer.advance(by: i &+ 1)
    }

    private mutating func select(_ key: TableKey) {
        if table == key { return }
        table = key
        collection = nil
        emit(.selectTable, 0, Int64(key.raw))
    }

    private mutating func select(
        _ key: TableKey, _ column: ColumnKey, _ object: ObjectKey, _ wanted: [Int64]
    ) {
        select(key)
        if let collection, collection == (column, object), path == wanted { return }
        collection = (column, object)
        path = wanted
        guard !wanted.isEmpty else {
            return emit(.selectCollection, column.raw, object.raw)
        }
        emit(.selectCollectionByPath, column.raw, object.raw)
        emit(Int64(wanted.count))
        for step in wanted { emit(step) }
    }

    private mutating func groupLevel(_ opcode: Opcode, _ key: TableKey) {
        emit(opcode, Int64(key.raw))
        table = nil
        collection = nil
    }

    mutating func insertTable(_ key: TableKey) { groupLevel(.insertTable, key) }
    mutating func eraseTable(_ key: TableKey) { groupLevel(.eraseTable, key) }
    mutating func renameTable(_ key: TableKey) { groupLevel(.renameTable, key) }

    mutating func insertColumn(_ key: TableKey, _ column: ColumnKey) {
        select(key)
        emit(.insertColumn, column.raw)
    }

    mutating func eraseColumn(_ key: TableKey, _ column: ColumnKey) {
        select(key)
        emit(.eraseColumn, column.raw)
    }

    mutating func renameColumn(_ key: TableKey, _ column: ColumnKey) {
        select(key)
        emit(.renameColumn, column.raw)
    }

    mutating func createObject(_ key: TableKey, _ object: ObjectKey) {
        select(key)
        emit(.createObject, object.raw)
    }

    mutating func createObjects(_ key: TableKey, _ objects: UnsafeBufferPointer<UInt64>) {
        select(key)
        for object in objects { emit(.createObject, Int64(bitPattern: object)) }
    }

    mutating func removeObject(_ key: TableKey, _ object: ObjectKey) {
        select(key)
        emit(.removeObject, object.raw)
    }

    mutating func set(_ key: TableKey, _ column: ColumnKey, _ object: ObjectKey) {
        select(key)
        emit(.set, column.raw, object.raw)
    }

    /// A change of a collection, as the change log records it.
    enum CollectionStep {
        case insert(Int)
        case set(Int)
        case move(Int, Int)
        case erase(Int)
        /// Removal of all elements; the associated value is their number.
        case clear(Int)
    }

    /// Logs one change of a property's collection, or of the collection nested in it at `path`.
    mutating func change(
        _ key: TableKey, _ column: ColumnKey, _ object: ObjectKey, path: [Int64] = [],
        _ step: CollectionStep
    ) {
        select(key, column, object, path)
        switch step {
        case .insert(let index): emit(.collectionInsert, Int64(index))
        case .set(let index): emit(.collectionSet, Int64(index))
        case .move(let from, let to): emit(.collectionMove, Int64(from), Int64(to))
        case .erase(let index): emit(.collectionErase, Int64(index))
        case .clear(let count): emit(.collectionClear, Int64(count))
        }
    }

    mutating func typedLinkChange(_ key: TableKey, _ column: ColumnKey, _ target: TableKey) {
        select(key)
        emit(.typedLinkChange, column.raw, Int64(target.raw))
    }
}

/// The changeset of one transaction. After a spill, its beginning is already in the file.
struct Changeset {
    /// The part of the changeset that is in the file: the refs of its blobs and their total number
    /// of bytes.
    struct Written {
        var parts: [Ref] = []
        var count = 0
    }

    var written: Written
    var rest: ByteView
}
