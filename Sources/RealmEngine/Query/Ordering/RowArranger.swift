/// Applies SORT, DISTINCT and LIMIT, in the order of the query, to matches in table order (query
/// language 22).
final class RowArranger {
    let descriptors: [BoundDescriptor]
    private let snapshot: Snapshot
    /// Evaluates sort keys. Lazy, because a LIMIT alone needs no evaluator.
    private lazy var evaluator = QueryEvaluator(snapshot, maximumReads: maximumReads)
    private let maximumReads: Int
    private let table: TableContext
    private let memory: QueryMemoryLimit
    private let meter: ProgressCounter?
    /// Counts the rows whose sort keys have been read; nil without progress reports.
    private var counter: ProgressCounter?

    convenience init(_ plan: QueryPlan, _ snapshot: Snapshot) {
        self.init(plan.query, plan.options, snapshot, maximumRepeats: 1)
    }

    /// - Parameter maximumRepeats: maximum number of times that the keys to be sorted may contain
    ///   one object.
    init(
        _ query: BoundQuery, _ options: QueryOptions, _ snapshot: Snapshot, maximumRepeats: Int
    ) {
        descriptors = Self.merged(query.descriptors)
        self.snapshot = snapshot
        table = TableContext(query.table)
        memory = QueryMemoryLimit(
            options, snapshot, isCollated: query.descriptors.contains(where: \.isCollated))
        meter = options.meter
        let (most, isTooMany) = (descriptors.map(\.maximumReads).max() ?? 1)
            .multipliedReportingOverflow(by: max(1, maximumRepeats))
        maximumReads = isTooMany ? .max : most
    }

    /// Merges adjacent clauses of one kind: the later SORT takes precedence, and the smaller LIMIT
    /// applies.
    static func merged(_ descriptors: [BoundDescriptor]) -> [BoundDescriptor] {
        var result: [BoundDescriptor] = []
        for descriptor in descriptors {
            switch (descriptor, result.last) {
            case (.sort(let keys), .sort(let earlier)?):
                result[result.count - 1] = .sort(keys + earlier)
            case (.limit(let count), .limit(let earlier)?):
                result[result.count - 1] = .limit(min(count, earlier))
            default: result.append(descriptor)
            }
        }
        return result
    }

    /// Applies the SORT, DISTINCT and LIMIT clauses to the keys, except the first `done` clauses,
    /// which the caller has applied.
    func arranged(_ keys: RowKeys, after done: Int = 0) throws(RealmError) -> RowKeys {
        var keys = keys
        for descriptor in descriptors.dropFirst(done) {
            if keys.isEmpty { break }
            switch descriptor {
            case .limit(let count): keys = keys.first(count)
            case .distinct(let paths):
                evaluator.visits.beginPass()
                count(keys.count)
                keys = try distinct(keys, paths)
            case .sort(let paths):
                evaluator.visits.beginPass()
                count(keys.count)
                keys = try sorted(keys, paths)
            }
        }
        return keys
    }

    private func count(_ total: Int) {
        counter = meter
        counter?.begin(.objects, total: total, name: "sorting")
    }

    private func emptyColumns(
        _ paths: [BoundSortKey], capacity: Int
    ) throws(RealmError) -> [SortColumn] {
        for path in paths { if let failure = path.failure { throw failure } }
        return paths.map {
            SortColumn($0, evaluator, capacity: capacity, copiesTexts: memory.copiesTexts)
        }
    }

    /// Minimum number of consecutive rows that are read together as a range. Shorter runs of rows
    /// are read with the other rows of their leaf.
    private static let minimumRunLength = 8

    /// Rows and their sort keys, as many as fit into the memory limit.
    private struct Part {
        let columns: [SortColumn]
        let rows: Range<Int>
    }

    /// Reads the sort keys of rows from `start` on, up to the memory limit. Consecutive rows of one
    /// leaf are read together.
    private func part(
        _ keys: RowKeys, from start: Int, _ paths: [BoundSortKey]
    ) throws(RealmError) -> Part {
        let rowSize = try emptyColumns(paths, capacity: 0).reduce(RowSorter.rowSize) {
            $0 + $1.rowSize
        }
        let end = min(keys.count - start, memory.rows(of: rowSize)) + start
        let columns = try emptyColumns(paths, capacity: end - start)
        let tree = ClusterTree(space: evaluator.space, root: table.root)
        var rows: [Int] = []
        var position = start
        while position < end {
            if columns.reduce(0, { $0 + $1.copiedSize }) > memory.texts {
                return Part(columns: columns, rows: start..<position)
            }
            let key = keys[position]
            guard let (leaf, row) = try tree.find(key) else {
                throw .corrupt("object \(key.raw) vanished", in: "table \(table.key.raw)")
            }
            // Often the keys are in table order and no condition removed rows. The next keys are
            // then consecutive rows of this leaf.
            let run = keys.run(in: leaf, from: row, at: position, before: end)
            let first = position
            if run.count >= Self.minimumRunLength {
                for column in columns { try column.add(leaf, run) }
                position += run.count
            } else {
                rows.removeAll(keepingCapacity: true)
                while position < end, let row = leaf.row(of: keys[position]) {
                    rows.append(row)
                    position += 1
                }
                for column in columns { try column.add(leaf, rows) }
            }
            counter?.add(position - first)
        }
        return Part(columns: columns, rows: start..<end)
    }

    /// Returns the value by which an object is sorted. `key` must be a property of the queried
    /// object itself. Nil if the object does not exist.
    func value(_ object: ObjectKey, _ key: BoundSortKey) throws(RealmError) -> Value? {
        try evaluator.find(object, in: table)?.value(key.column)
    }

    /// Returns the object keys sorted by the values of `paths`.
    func sorted(_ keys: RowKeys, _ paths: [BoundSortKey]) throws(RealmError) -> RowKeys {
        let first = try part(keys, from: 0, paths)
        if first.rows.count == keys.count {
            return keys.reordered(RowSorter.order(first.columns, count: keys.count))
        }
        var result = KeyGatherer(memory)
        try merge(keys, paths, first) { (key, _, _, _) throws(RealmError) in try result.append(key)
        }
        return try result.finish()
    }

    private func distinct(
        _ keys: RowKeys, _ paths: [BoundSortKey]
    ) throws(RealmError) -> RowKeys {
        let first = try part(keys, from: 0, paths)
        if first.rows.count == keys.count {
            let kept = DistinctSet(first.columns, count: keys.count).firstRows()
            return RowKeys(kept.map { keys[Int($0)] })
        }
        // One bit per row, set in the first row of each combination of key values.
        var isFirst = [UInt64](repeating: 0, count: keys.count / 64 + 1)
        try merge(keys, paths, first) { (_, position, isMissing, isRepeated) throws(RealmError) in
            if isMissing || isRepeated { return }
            isFirst[position >> 6] |= 1 << UInt64(position & 63)
        }
        var result = KeyGatherer(memory)
        for (position, key) in keys.enumerated()
        where isFirst[position >> 6] >> UInt64(position & 63) & 1 != 0 {
            try result.append(key)
        }
        return try result.finish()
    }

    /// Sorts with temporary files. Calls `body` with the rows in order: object key, position,
    /// whether a path of a sort key contains a null link, and whether the sort keys equal the keys
    /// of the previous row.
    ///
    /// - Parameter first: the first rows with their sort keys.
    private func merge(
        _ keys: RowKeys, _ paths: [BoundSortKey], _ first: consuming Part,
        _ body: (ObjectKey, Int, Bool, Bool) throws(RealmError) -> Void
    ) throws(RealmError) {
        let sort = try ExternalSort(try emptyColumns(paths, capacity: 0), memory)
        defer { sort.close() }
        var next: Part? = first
        while let part = next.take() {
            let order = RowSorter.order(part.columns, count: part.rows.count)
            try sort.add(part.columns, order, keys, from: part.rows.lowerBound)
            let end = part.rows.upperBound
            if end < keys.count { next = try self.part(keys, from: end, paths) }
        }
        try sort.merge { [sort] (key, position, record, isRepeated) throws(RealmError) in
            try body(key, position, sort.isMissing(record), isRepeated)
        }
    }
}

extension BoundDescriptor {
    fileprivate var isCollated: Bool {
        switch self {
        case .sort(let keys), .distinct(let keys): keys.contains { !$0.collation.isBinary }
        case .limit: false
        }
    }

    /// Maximum number of times that the clause reads the collections of one object. A key that is a
    /// property counts once. A key that is an operand counts as often as the operand reads.
    var maximumReads: Int {
        switch self {
        case .sort(let keys), .distinct(let keys):
            keys.reduce(0) { $0 + ($1.operand?.maximumReads ?? 1) }
        case .limit: 0
        }
    }
}
