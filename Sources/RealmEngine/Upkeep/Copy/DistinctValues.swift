/// The distinct values of a string column, sorted, nil first. Leaves of an enumerated column store
/// indexes into them (object format 3.6).
final class DistinctValues {
    let column: ColumnInfo
    private var values: [ByteView?] = []
    private var places = TextHashTable()

    /// Maximum total size in bytes of the distinct values, because all of them must fit in one
    /// blob.
    private static let maximumTotalBytes = 0xF0_0000
    private static let maximumValueCount = 1 << 18
    /// Approximate memory per distinct value in bytes, in addition to its text.
    private static let cost = 64

    /// Size of the column in bytes: `now`, and an upper limit for its size if it is enumerated,
    /// which means that its leaves store indexes in a list of the distinct values.
    private(set) var bytes = (now: 0, enumerated: 0)

    /// Returns the reason why a compaction cannot store a column as indexes in a list of distinct
    /// values, whatever the values are; nil if it can.
    static func obstacle(_ info: TableInfo, _ index: Int) -> String? {
        let column = info.columns[index]
        if column.type != .string || column.collection != nil { return "is no string" }
        if info.primaryKey == index { return "is the primary key" }
        // Tombstones use the same column leaves, but `DistinctValues` does not collect their
        // values.
        return info.tombstones.isNone ? nil : "belongs to a class with removed objects in links"
    }

    /// Collects the values of a column. `obstacle(_:_:)` must return nil for it. Fails (nil) if
    /// there are too many values, or none.
    init?(_ table: Table, column index: Int, maxMemory: Int) throws(RealmError) {
        column = table.info.columns[index]
        let most = min(Self.maximumValueCount, maxMemory / Self.cost)
        table.snapshot.beginWalk()
        let scan = table.scan(columns: [index])
        var size = 0
        while try scan.next() {
            for row in 0..<scan.count {
                let value = Self.view(try scan.value(row: row, column: 0))
                guard find(value) == nil else { continue }
                insert(value)
                size += (value?.count ?? 0) + 1
            }
            guard values.count <= most, size <= Self.maximumTotalBytes else { return nil }
        }
        guard !values.isEmpty else { return nil }
        try measure(table)
        sort()
    }

    /// Whether the number of distinct values is less than `percent` percent of the number of
    /// objects.
    func isBelow(_ percent: Int, _ table: Table) throws(RealmError) -> Bool {
        values.count * 100 < (try table.count()) * percent
    }

    /// Number of bytes saved by storing indexes in a list of distinct values; negative if the
    /// column grows.
    var saving: Int { bytes.now - bytes.enumerated }

    private func measure(_ table: Table) throws(RealmError) {
        let space = table.snapshot.lookup
        let code = NodeEncoder.widthCode(magnitude: Int64(values.count - 1), isNegative: false)
        let bits = (1 << Int(code)) >> 1
        bytes = (0, listBytes)
        var leaves = ClusterTree(space: space, root: table.info.root).leaves()
        while let leaf = try leaves.next() {
            bytes.now += try Self.treeBytes(try leaf.columnRef(column.leafIndex), space)
            bytes.enumerated += Self.nodeBytes((leaf.count * bits + 7) / 8)
        }
    }

    private static func nodeBytes(_ payload: Int) -> Int {
        NodeView.headerSize + (payload + 7) & ~7
    }

    /// Returns the total size in bytes of a node and of the nodes on two levels below it. A leaf of
    /// strings has no more levels.
    private static func treeBytes(
        _ ref: Ref, _ space: NodeSpace, levels: Int = 2
    ) throws(RealmError) -> Int {
        let node = try space.node(ref)
        var total = node.byteSize
        guard levels > 0, node.hasRefs else { return total }
        for i in 0..<node.count {
            guard let child = node.slot(i).child else { continue }
            total += try treeBytes(child, space, levels: levels - 1)
        }
        return total
    }

    /// Approximate size of the list of distinct values, in bytes.
    private var listBytes: Int {
        let longest = values.reduce(-1) { max($0, $1?.count ?? -1) }
        let texts = values.reduce(0) { $0 + ($1?.count ?? 0) + 1 }
        if longest <= Self.maximumShortSize {
            return Self.nodeBytes(values.count * (1 << Self.shortCode(longest)) / 2)
        }
        if longest <= Self.maximumMediumSize {
            let parts = [4 * values.count, texts, values.count / 8 + 1]
            return parts.reduce(Self.nodeBytes(12)) { $0 + Self.nodeBytes($1) }
        }
        return values.reduce(Self.nodeBytes(8 * values.count)) {
            $0 + Self.nodeBytes(($1?.count ?? 0) + 1)
        }
    }

    private static func view(_ value: Value) -> ByteView? {
        if case .string(let view) = value { return view }
        return nil
    }

    private static func precedes(_ a: ByteView?, _ b: ByteView?) -> Bool {
        guard let b else { return false }
        guard let a else { return true }
        return a.buffer.lexicographicallyPrecedes(b.buffer)
    }

    private func find(_ value: ByteView?) -> Int? { places.find(value) { values[$0] } }

    private func insert(_ value: ByteView?) {
        places.enter(value, at: values.count)
        values.append(value)
    }

    private func sort() {
        values.sort(by: Self.precedes)
        places.removeAll()
        for (place, value) in values.enumerated() { places.enter(value, at: place) }
    }

    /// Returns the index of a value of the column among the distinct values.
    func index(_ value: ByteView?) throws(RealmError) -> Int32 {
        guard let place = find(value) else {
            throw .corrupt("a value that was not there before", in: "string column")
        }
        return Int32(place)
    }
}

extension DistinctValues {
    fileprivate static let maximumShortSize = 15
    fileprivate static let maximumMediumSize = 63

    /// Writes the distinct values as a string leaf of the smallest form (object format 3.5).
    func emit(_ copier: NodeCopier) throws(RealmError) -> Ref {
        let longest = values.reduce(-1) { max($0, $1?.count ?? -1) }
        if longest <= Self.maximumShortSize { return try short(copier, longest) }
        return longest <= Self.maximumMediumSize ? try medium(copier) : try big(copier)
    }

    /// Returns the width code of cells that can store texts of up to `longest` bytes; `longest` is
    /// -1 if all values are null.
    fileprivate static func shortCode(_ longest: Int) -> UInt8 {
        var code: UInt8 = longest < 0 ? 0 : 1
        while (1 << Int(code)) >> 1 < longest + 1 { code += 1 }
        return code
    }

    private func short(_ copier: NodeCopier, _ longest: Int) throws(RealmError) -> Ref {
        let code = Self.shortCode(longest)
        let width = (1 << Int(code)) >> 1
        var cells: [UInt8] = []
        for value in values where width > 0 {
            let count = value?.count ?? 0
            cells += value?.bytes ?? []
            cells += [UInt8](repeating: 0, count: width - 1 - count)
            cells.append(UInt8(value == nil ? width : width - 1 - count))
        }
        return try emit(cells, copier, flags: NodeView.bytesFlag | code, count: values.count)
    }

    private func medium(_ copier: NodeCopier) throws(RealmError) -> Ref {
        var ends: [Int64] = []
        var area: [UInt8] = []
        for value in values {
            area += value?.bytes ?? []
            area.append(0)
            ends.append(Int64(area.count))
        }
        let parts = [
            try copier.emit(ends),
            try emit(area, copier, flags: NodeView.blobFlags, count: area.count),
            try copier.emit(values.map { $0 == nil ? 1 : 0 }),
        ]
        return try copier.emit(
            parts.map { Int64(bitPattern: $0.raw) }, flags: NodeView.hasRefsFlag)
    }

    private func big(_ copier: NodeCopier) throws(RealmError) -> Ref {
        var slots: [Int64] = []
        for value in values {
            guard let value else {
                slots.append(0)
                continue
            }
            let bytes = value.bytes + [0]
            let blob = try emit(bytes, copier, flags: NodeView.blobFlags, count: bytes.count)
            slots.append(Int64(bitPattern: blob.raw))
        }
        return try copier.emit(slots, flags: NodeView.hasRefsFlag | NodeView.contextFlag)
    }

    private func emit(
        _ bytes: [UInt8], _ copier: NodeCopier, flags: UInt8, count: Int
    ) throws(RealmError) -> Ref {
        let result = bytes.withUnsafeBytes { bytes -> Result<Ref, RealmError> in
            Result { () throws(RealmError) in
                try copier.emit(bytes: bytes, flags: flags, count: count)
            }
        }
        return try result.get()
    }
}
