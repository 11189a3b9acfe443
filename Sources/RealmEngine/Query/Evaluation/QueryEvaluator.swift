/// Leaf and row of an object that is evaluated. A trivial value, valid while the snapshot exists.
struct RowLocation {
    let leaf: ClusterLeaf
    let row: Int
    /// Whether the object was reached through a link, not by scanning its table. Reads of its
    /// collections are then limited separately: this ends endless reads in cycles of damaged files.
    var isLinked = false

    @inline(__always)
    func value(_ column: BoundColumn) throws(RealmError) -> Value {
        try leaf.value(column.leafIndex, column.layout, row: row)
    }

    /// This location, marked as reached through a link.
    var linked: RowLocation { RowLocation(leaf: leaf, row: row, isLinked: true) }
}

/// Evaluates any bound condition for one object. Slower than kernels, the loops over packed leaves
/// that exist for the common conditions.
///
/// Confined to its snapshot's thread. Buffers are reused from object to object.
final class QueryEvaluator {
    let snapshot: Snapshot
    let space: NodeSpace
    /// Limits the bytes that the evaluation reads from collections, so that cycles in a damaged
    /// file lead to an error.
    let visits: EvaluationBudget
    private var buffers: [ValueBuffer] = []
    private var buffersInUse = 0
    private var keyLists: [KeyBuffer] = []
    private var keyListsInUse = 0
    /// Cached results of the conditions of nested subqueries, first by subquery, then by object.
    private var answers: [ObjectIdentifier: [ObjectKey: Bool]] = [:]
    /// One computation for each aggregate in the conditions, reused from object to object.
    private var aggregateRuns: [(aggregate: BoundAggregate, run: AggregateRun)] = []
    /// Number of object keys that paths have collected since the evaluator was made: a measure of
    /// the cost of paths.
    var reached = 0

    /// - Parameter maximumReads: maximum number of times that a query reads the collections of one
    ///   object while it visits the table once; see `EvaluationBudget`.
    init(_ snapshot: Snapshot, maximumReads: Int) {
        self.snapshot = snapshot
        space = snapshot.lookup
        visits = EvaluationBudget(snapshot.lookup, maximumReads: maximumReads)
    }

    /// Returns the reusable computation of the aggregate, reset to no values.
    func run(of aggregate: BoundAggregate) -> AggregateRun {
        for (known, run) in aggregateRuns where known === aggregate {
            run.start()
            return run
        }
        let run = AggregateRun(
            aggregate.function, of: aggregate.element, inDictionary: aggregate.isOfDictionary)
        aggregateRuns.append((aggregate, run))
        return run
    }

    /// Whether the object matches the condition.
    func evaluate(_ condition: BoundCondition, _ location: RowLocation) throws(RealmError) -> Bool {
        switch condition {
        case .constant(let value): return value
        case .and(let children):
            for child in children where try !evaluate(child, location) { return false }
            return true
        case .or(let children):
            for child in children where try evaluate(child, location) { return true }
            return false
        case .not(let child): return try !evaluate(child, location)
        case .test(let test): return test.matches(try location.value(test.column))
        case .comparison(let comparison): return try evaluate(comparison, location)
        case .fullText(let search): return try evaluate(search, location)
        case .geoWithin(let geo): return try evaluate(geo, location)
        }
    }

    private func evaluate(
        _ comparison: BoundComparison, _ location: RowLocation
    ) throws(RealmError) -> Bool {
        let mark = buffersInUse
        defer { buffersInUse = mark }
        let left = try values(of: comparison.left, location, comparison.repeats)
        let right = try values(of: comparison.right, location, comparison.repeats)
        return comparison.matches(left, right)
    }

    /// Returns the value of an operand that has exactly one value per object.
    func value(of operand: BoundOperand, _ location: RowLocation) throws(RealmError) -> Value {
        try firstValue(of: operand, location) ?? .null
    }

    /// Returns the first value of an operand for an object; nil if it has no value.
    func firstValue(of operand: BoundOperand, _ location: RowLocation) throws(RealmError) -> Value?
    {
        let mark = buffersInUse
        defer { buffersInUse = mark }
        return try values(of: operand, location).values.first
    }

    /// Returns the values of an operand for one object. The buffer is valid until the comparison
    /// ends.
    func values(
        of operand: BoundOperand, _ location: RowLocation, _ repeats: PathMultiplicity = .kept
    ) throws(RealmError) -> ValueBuffer {
        if case .constant(let buffer) = operand.kind { return buffer }
        let buffer = takeBuffer()
        switch operand.kind {
        case .constant: break
        case .path(let path): try append(path, location, repeats, to: buffer)
        case .count(let path): try appendCounts(path, location, repeats, to: buffer)
        case .size(let path):
            try append(path, location, repeats, to: buffer)
            for i in 0..<buffer.values.count {
                buffer.values[i] = try size(of: buffer.values[i], location, path)
            }
        case .typeOf(let path):
            try append(path, location, repeats, to: buffer)
            for i in 0..<buffer.values.count {
                buffer.values[i] = .int(Int64(TypeMask(buffer.values[i]).rawValue))
            }
        case .aggregate(let aggregate): try append(aggregate, location, repeats, to: buffer)
        case .subquery(let subquery): buffer.values.append(.int(try count(subquery, location)))
        case .arithmetic(let first, let terms):
            try append(first, terms, location, repeats, to: buffer)
        case .function(let function, let operand):
            let inner = try values(of: operand, location, repeats)
            for value in inner.values.all { buffer.values.append(function.value(of: value)) }
            buffer.groupEnds.append(contentsOf: inner.groupEnds.all)
        }
        return buffer
    }

    private func append(
        _ first: BoundOperand, _ terms: [BoundTerm], _ location: RowLocation,
        _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        let start = try values(of: first, location, repeats)
        buffer.values.append(contentsOf: start.values.all)
        buffer.groupEnds.append(contentsOf: start.groupEnds.all)
        var isSingle = first.shape == .scalar
        for term in terms {
            let other = try values(of: term.operand, location, repeats)
            if term.operand.shape == .scalar, other.values.count == 1 {
                for i in 0..<buffer.values.count {
                    buffer.values[i] = Arithmetic.apply(
                        term.sign, buffer.values[i], other.values[0])
                }
            } else if isSingle, buffer.values.count == 1 {
                let start = buffer.values[0]
                buffer.values.removeAll()
                for value in other.values.all {
                    buffer.values.append(Arithmetic.apply(term.sign, start, value))
                }
                buffer.groupEnds.append(contentsOf: other.groupEnds.all)
                isSingle = term.operand.shape == .scalar
            } else {
                buffer.removeAll()
            }
        }
    }

    /// Returns the length of a text in bytes or the number of elements of a nested collection; null
    /// for other values.
    private func size(
        of value: Value, _ location: RowLocation, _ path: BoundPath
    ) throws(RealmError) -> Value {
        switch value {
        case .string(let text), .binary(let text): .int(Int64(text.count))
        case .list, .set, .dictionary:
            .int(Int64(try count(of: value, path.hops.isEmpty ? location : location.linked)))
        default: .null
        }
    }

    private func count(
        _ subquery: BoundSubquery, _ location: RowLocation
    ) throws(RealmError) -> Int64 {
        let keys = takeKeys()
        defer { returnList(keys) }
        try collectTargets(subquery.path.hops[...], from: location, .counted, into: keys)
        var count: Int64 = 0
        for i in 0..<keys.keys.count where try contains(subquery, keys.keys[i]) {
            count = count.addingSaturated(keys.times(i))
        }
        return count
    }

    /// Whether an object at the end of the path matches the condition. The result is cached if the
    /// condition contains a subquery, because otherwise each level of nesting would multiply the
    /// number of evaluations.
    private func contains(
        _ subquery: BoundSubquery, _ key: ObjectKey
    ) throws(RealmError) -> Bool {
        let place = ObjectIdentifier(subquery)
        if subquery.isNested, let known = answers[place]?[key] { return known }
        var holds = false
        if let object = try find(key, in: subquery.path.table) {
            holds = try self.evaluate(subquery.condition, object)
        }
        if subquery.isNested { answers[place, default: [:]][key] = holds }
        return holds
    }
}

// MARK: - Reused memory

extension QueryEvaluator {
    private func takeBuffer() -> ValueBuffer {
        if buffersInUse == buffers.count { buffers.append(ValueBuffer()) }
        let buffer = buffers[buffersInUse]
        buffersInUse += 1
        buffer.removeAll()
        return buffer
    }

    func takeKeys() -> KeyBuffer {
        if keyListsInUse == keyLists.count { keyLists.append(KeyBuffer()) }
        let keys = keyLists[keyListsInUse]
        keyListsInUse += 1
        keys.removeAll()
        return keys
    }

    /// Makes the list `keys` reusable. Lists must be returned in the reverse order of `takeKeys`.
    func returnList(_ keys: KeyBuffer) { keyListsInUse -= 1 }
}
