/// The distinct values of a string column, sorted, nil first: what its leaves of indexes point into
/// once the column is enumerated (object format 3.6).
final class DistinctValues {
    let column: ColumnInfo
    private var values: [ByteView?] = []
    /// Place in `values` by hash; a collision takes the next free hash.
    private var places: [UInt64: Int32] = [:]

    /// All values must fit one blob.
    private static let mostBytes = 0xF0_0000
    private static let mostValues = 1 << 18
    /// Bytes of memory a distinct value takes here, more or less.
    private static let cost = 64

    /// Collects the values of a column; nil when enumerating it is not asked for or not possible:
    /// distinct values make up `percent` of all or more, or do not fit `maxMemory`.
    init?(
        _ table: Table, column index: Int, below percent: Int, maxMemory: Int
    ) throws(RealmError) {
        let info = table.info
        let column = info.columns[index]
        self.column = column
        // Tombstones share the column's spec, and theirs are not looked at.
        guard column.type == .string, column.collection == nil, column.distinct.isNone,
            info.primaryKey != index, info.tombstones.isNone
        else { return nil }
        let count = try table.count()
        let most = min(Self.mostValues, maxMemory / Self.cost)
        table.snapshot.beginWalk()
        let scan = table.scan(columns: [index])
        var bytes = 0
        while try scan.next() {
            for row in 0..<scan.count {
                let value = Self.view(try scan.value(row: row, column: 0))
                guard find(value) == nil else { continue }
                insert(value)
                bytes += (value?.count ?? 0) + 1
            }
            guard values.count <= most, bytes <= Self.mostBytes else { return nil }
        }
        guard !values.isEmpty, values.count * 100 < count * percent else { return nil }
        sort()
    }

    private static func view(_ value: Value) -> ByteView? {
        if case .string(let view) = value { return view }
        return nil
    }

    private static func hash(_ value: ByteView?) -> UInt64 {
        guard let value else { return 0 }
        var hash = ContentHash(seed: 1)
        hash.update(value)
        return hash.value
    }

    private static func precedes(_ a: ByteView?, _ b: ByteView?) -> Bool {
        guard let b else { return false }
        guard let a else { return true }
        return a.buffer.lexicographicallyPrecedes(b.buffer)
    }

    private func find(_ value: ByteView?) -> Int32? {
        var hash = Self.hash(value)
        while let place = places[hash] {
            let known = values[Int(place)]
            if known == nil, value == nil { return place }
            if let known, let value, known.buffer.elementsEqual(value.buffer) { return place }
            hash &+= 1
        }
        return nil
    }

    private func insert(_ value: ByteView?) {
        enter(value, at: values.count)
        values.append(value)
    }

    private func enter(_ value: ByteView?, at place: Int) {
        var hash = Self.hash(value)
        while places[hash] != nil { hash &+= 1 }
        places[hash] = Int32(place)
    }

    private func sort() {
        values.sort(by: Self.precedes)
        places.removeAll(keepingCapacity: true)
        for (place, value) in values.enumerated() { enter(value, at: place) }
    }

    /// Place of a value of the column.
    func index(_ value: ByteView?) throws(RealmError) -> Int32 {
        guard let place = find(value) else {
            throw .corrupt("a value that was not there before", in: "string column")
        }
        return place
    }
}

extension DistinctValues {
    private static let longestShort = 15
    private static let longestMedium = 63

    /// Writes the values as a string leaf of the smallest form (object format 3.5).
    func emit(_ copier: NodeCopier) throws(RealmError) -> Ref {
        let longest = values.reduce(-1) { max($0, $1?.count ?? -1) }
        if longest <= Self.longestShort { return try short(copier, longest) }
        return longest <= Self.longestMedium ? try medium(copier) : try big(copier)
    }

    private func short(_ copier: NodeCopier, _ longest: Int) throws(RealmError) -> Ref {
        var code: UInt8 = 0
        if longest >= 0 {
            code = 1
            while (1 << Int(code)) >> 1 < longest + 1 { code += 1 }
        }
        let width = (1 << Int(code)) >> 1
        var cells: [UInt8] = []
        for value in values where width > 0 {
            let count = value?.count ?? 0
            cells += value?.bytes ?? []
            cells += [UInt8](repeating: 0, count: width - 1 - count)
            cells.append(UInt8(value == nil ? width : width - 1 - count))
        }
        return try emit(cells, copier, flags: 0x08 | code, count: values.count)
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
            try emit(area, copier, flags: Self.blobFlags, count: area.count),
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
            let blob = try emit(bytes, copier, flags: Self.blobFlags, count: bytes.count)
            slots.append(Int64(bitPattern: blob.raw))
        }
        return try copier.emit(slots, flags: NodeView.hasRefsFlag | NodeView.contextFlag)
    }

    /// Width type 2, width 1.
    private static let blobFlags: UInt8 = 0x11

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
