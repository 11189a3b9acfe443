/// Values for new objects of one class, stored column by column, for `WriteTransaction.create(_:)`.
///
/// Owns the bytes of its values. One thread fills the batch and another one may consume it, but not
/// at the same time.
package final class RowBatch: @unchecked Sendable {
    /// The class for which the rows were made.
    package let table: TableInfo
    /// Maximum number of rows in the batch.
    package let capacity: Int
    package private(set) var count = 0
    /// Cells of each column; valid as long as the batch.
    let cells: [LeafCells]
    /// Memory of the cells of all columns.
    private let memory: UnsafeMutableRawPointer
    /// Pointers to the cells of each column, through which `append` stores values.
    private let targets: UnsafeMutableBufferPointer<LeafCells.Target>
    /// Keys of the new objects, by row. Set when the objects are created.
    let keys: UnsafeMutablePointer<UInt64>
    /// Link properties that are no collections. Their values in the batch may be primary keys of
    /// the targets.
    let links: [Link]
    /// Bytes of texts, binaries and primary keys.
    let arena = ByteArena()

    struct Link {
        let column: Int
        let target: TableKey
        /// Primary key of the target of each row's link. Null if `append` received the target's
        /// object key, which is then in the cell, or null.
        let references: UnsafeMutablePointer<Value>
    }

    /// Makes an empty batch for at most `capacity` rows of `table`.
    package init(_ table: TableInfo, capacity: Int) {
        self.table = table
        self.capacity = capacity
        // Allocates one block of memory for all columns, because there may be thousands.
        var size = 0
        for column in table.columns {
            size += LeafCells.byteSize(column.layout, capacity: capacity)
        }
        memory = .allocate(byteCount: size, alignment: LeafCells.alignment)
        var next = memory
        cells = table.columns.map {
            let cells = LeafCells($0.layout, capacity: capacity, memory: next)
            next += LeafCells.byteSize($0.layout, capacity: capacity)
            return cells
        }
        targets = .allocate(capacity: cells.count)
        _ = targets.initialize(from: cells.map(\.target))
        keys = .allocate(capacity: capacity)
        links = table.columns.indices.compactMap { column in
            let info = table.columns[column]
            guard info.type == .link, info.collection == nil else { return nil }
            return Link(
                column: column, target: info.target, references: .allocate(capacity: capacity))
        }
    }

    deinit {
        memory.deallocate()
        targets.deallocate()
        keys.deallocate()
        for link in links { link.references.deallocate() }
    }

    /// Number of bytes of texts and binaries that the batch has copied.
    package var byteCount: Int { arena.used }

    /// Approximate memory of a column in bytes, without its values.
    package static let bytesPerColumn = 192

    /// Adds a row with a valid value for each column. The value of a link is the target object or
    /// its primary key. Values of collection columns are ignored.
    package func append(_ row: UnsafeBufferPointer<Value>) {
        precondition(count < capacity && row.count == targets.count)
        let (index, arena, targets) = (count, arena, targets)
        for column in 0..<row.count where !targets[column].isCollection {
            switch row[column] {
            case .string(let bytes): targets[column].store(.string(arena.copy(bytes)), at: index)
            case .binary(let bytes): targets[column].store(.binary(arena.copy(bytes)), at: index)
            default: targets[column].store(row[column], at: index)
            }
        }
        for link in links { keepReference(link, row[link.column]) }
        count = index &+ 1
    }

    /// Copies a row's values as they were passed to `append`. Values of collections are left out.
    package func read(_ row: Int, into values: UnsafeMutableBufferPointer<Value>) {
        precondition(row >= 0 && row < count && values.count == targets.count)
        for column in 0..<values.count where !targets[column].isCollection {
            values[column] = cells[column].value(row)
        }
        for link in links {
            if case .null = link.references[row] { continue }
            values[link.column] = link.references[row]
        }
    }

    private func keepReference(_ link: Link, _ value: Value) {
        switch value {
        case .null, .link: link.references[count] = .null
        default:
            link.references[count] = arena.copy(value)
            cells[link.column].words[count] = LeafCells.noLink
        }
    }

    /// Returns the primary key that `append` received as the value of a link property; null if it
    /// received an object or null.
    package func reference(_ column: Int, _ row: Int) -> Value {
        precondition(row >= 0 && row < count)
        return links.first { $0.column == column }?.references[row] ?? .null
    }

    /// Returns the key of the object that was created from a row.
    package func key(_ row: Int) -> ObjectKey {
        precondition(row >= 0 && row < count)
        return ObjectKey(Int64(bitPattern: keys[row]))
    }
}
