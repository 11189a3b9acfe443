import RealmEngine
import ToolKit

/// Reads values and computes a checksum of them. The compiler can therefore not remove the reads.
/// Reading the same data in the same order results in the same checksum.
///
/// Confined to the thread of its snapshot.
struct ValueFold {
    private(set) var sum: UInt64 = 0
    private let snapshot: Snapshot
    /// Whether reading collections counts against the snapshot's read budget, the number of bytes
    /// that a walk over the database may read. Correct only if every object is read once.
    private let isWalking: Bool

    init(_ snapshot: Snapshot, isWalking: Bool) {
        self.snapshot = snapshot
        self.isWalking = isWalking
    }

    /// Reads every property of every object of every class. After each leaf, calls `afterLeaf` with
    /// the number of objects in the leaf.
    @_optimize(speed)
    mutating func addAll(afterLeaf: (Int) -> Void = { _ in }) throws(RealmError) {
        snapshot.beginWalk()
        for info in snapshot.schema.classes {
            let columns = info.columns.count
            let scan = snapshot.table(info).scan(columns: Array(0..<columns))
            while try scan.next() {
                for row in 0..<scan.count {
                    for column in 0..<columns {
                        try add(try scan.value(row: row, column: column))
                    }
                }
                afterLeaf(scan.count)
            }
        }
    }

    /// Adds a value to the checksum. For a collection, adds all elements.
    @inline(__always)
    mutating func add(_ value: Value) throws(RealmError) {
        switch value {
        case .null: mix(1)
        case .int(let number): mix(UInt64(bitPattern: number))
        case .bool(let flag): mix(flag ? 3 : 2)
        case .float(let number): mix(UInt64(number.bitPattern))
        case .double(let number): mix(number.bitPattern)
        case .string(let bytes), .binary(let bytes): add(bytes)
        case .timestamp(let time):
            mix(UInt64(bitPattern: time.seconds) &+ UInt64(bitPattern: Int64(time.nanoseconds)))
        case .decimal(let number): mix(number.high ^ number.low)
        case .objectID(let id): mix(id.high ^ UInt64(id.low))
        case .uuid(let id): mix(id.high ^ id.low)
        case .link(let link): mix(UInt64(bitPattern: link.key.raw))
        case .list(let view), .set(let view): try addElements(view)
        case .dictionary(let view): try addEntries(view)
        }
    }

    /// Adds the length, the first byte and the last byte to the checksum. That suffices to load the
    /// bytes into the processor's cache.
    @inline(__always)
    private mutating func add(_ bytes: ByteView) {
        mix(UInt64(bytes.count))
        if bytes.count > 0 { mix(UInt64(bytes[0]) &<< 8 | UInt64(bytes[bytes.count - 1])) }
    }

    @_optimize(speed)
    private mutating func addElements(_ view: CollectionView) throws(RealmError) {
        if view.root.isNone { return mix(4) }
        var cursor = snapshot.elements(of: view, walking: isWalking)
        while let element = try cursor.next() { try add(element) }
    }

    @_optimize(speed)
    private mutating func addEntries(_ view: CollectionView) throws(RealmError) {
        if view.root.isNone { return mix(5) }
        var cursor = try snapshot.entries(of: view, walking: isWalking)
        while let (key, value) = try cursor.next() {
            try add(key)
            try add(value)
        }
    }

    @inline(__always)
    mutating func mix(_ word: UInt64) { sum = (sum &<< 7 | sum &>> 57) &+ word }
}
