/// Elements of a list, set or dictionary that are sorted, distinct or limited. Only for collections
/// of values; for collections of links, use `ObjectResults`.
///
/// Evaluated on first use, and again after a change of the class that has the collection. Confined
/// like the collection. Results of a frozen collection are evaluated when made, and may be used on
/// any thread.
package final class ElementResults {
    let collection: CollectionHandle
    /// Operations to apply to the elements, in this order.
    package let steps: [Step]
    private var found: Found?

    package enum Step: Hashable, Sendable {
        /// SORT: a stable sort by value, nulls first.
        case sort(isAscending: Bool, TextCollation)
        /// DISTINCT: keeps the first of several equal elements.
        case distinct
        case limit(Int)
    }

    private struct Found {
        /// For each element of the results, its index in the collection.
        let positions: [Int]
        let basis: ResultDependencies
    }

    /// Makes results of the collection's elements. Results of a frozen collection are evaluated at
    /// once; this throws the errors of reading the collection. Results of a live collection are
    /// evaluated on first use.
    package init(_ collection: CollectionHandle, _ steps: [Step] = []) throws(RealmError) {
        (self.collection, self.steps) = (collection, steps)
        if instance.isFrozen { found = try find() }
    }

    var instance: Instance { collection.owner.objects.instance }

    /// Returns these results with one more operation.
    package func arranged(_ step: Step) throws(RealmError) -> ElementResults {
        try ElementResults(collection, steps + [step])
    }

    /// Number of elements; 0 if the collection was deleted.
    package var count: Int { get throws(RealmError) { try positions().count } }

    /// Throws `misuse` if the index is out of range.
    package func element(at position: Int) throws(RealmError) -> Value {
        try collection.element(at: place(of: position))
    }

    /// Returns the index in the collection of the element that is at `position` in these results.
    func place(of position: Int) throws(RealmError) -> Int {
        let positions = try positions()
        guard position >= 0, position < positions.count else {
            throw ObjectResults.outOfBounds(position, positions.count)
        }
        return positions[position]
    }

    /// Index of the first element equal to `value`; nil if there is none.
    package func index(of value: Value) throws(RealmError) -> Int? {
        if steps.isEmpty { return try collection.index(of: value) }
        let elements = try collection.elements()
        return try positions().firstIndex { ValueOrder.areEqual(elements[$0], value) }
    }

    /// Returns an aggregate of the elements; see `CollectionHandle.aggregate`.
    package func aggregate(_ function: AggregateFunction) throws(RealmError) -> Value {
        if steps.isEmpty, try collection.exists { return try collection.aggregate(function) }
        let elements = try collection.elements()
        return try collection.aggregate(function, positions().lazy.map { elements[$0] })
    }

    // MARK: Finding

    private func positions() throws(RealmError) -> [Int] {
        if instance.isFrozen { return found?.positions ?? [] }
        instance.check()
        let snapshot = instance.snapshot()
        if let found {
            if found.basis.state === snapshot.state { return found.positions }
            if let basis = found.basis.following(snapshot) {
                self.found = Found(positions: found.positions, basis: basis)
                return found.positions
            }
        }
        let fresh = try find()
        found = fresh
        return fresh.positions
    }

    private func find() throws(RealmError) -> Found {
        let basis = ResultDependencies(
            instance.snapshot(), base: instance.transaction?.base,
            reading: [collection.owner.objects.key])
        guard try collection.exists else { return Found(positions: [], basis: basis) }
        if steps.isEmpty {
            return Found(positions: Array(0..<(try collection.count)), basis: basis)
        }
        let elements = try collection.elements()
        var positions = Array(elements.indices)
        for step in steps { step.apply(to: &positions, elements) }
        return Found(positions: positions, basis: basis)
    }
}

extension ElementResults.Step {
    fileprivate func apply(to positions: inout [Int], _ elements: [Value]) {
        switch self {
        case .limit(let count): positions.removeSubrange(min(max(0, count), positions.count)...)
        case .sort(let isAscending, let collation):
            Self.sort(&positions, elements, isAscending, collation)
        case .distinct:
            // Sort equal elements next to each other, the first of them in front.
            var entries = positions.indices.map { (place: $0, value: elements[positions[$0]]) }
            entries.order { ValueRules.compare($0.value, $1.value) < 0 }
            var kept: [Int] = []
            for (i, entry) in entries.enumerated()
            where i == 0 || ValueRules.compare(entries[i - 1].value, entry.value) != 0 {
                kept.append(entry.place)
            }
            positions = kept.sorted().map { positions[$0] }
        }
    }

    private static func sort(
        _ positions: inout [Int], _ elements: [Value], _ isAscending: Bool,
        _ collation: TextCollation
    ) {
        positions.order {
            let way = collation.compare(elements[$0], elements[$1])
            return isAscending ? way < 0 : way > 0
        }
    }
}
