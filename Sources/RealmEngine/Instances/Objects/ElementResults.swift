/// The elements of a list, set or dictionary in another order, without those that repeat others, or
/// only the first of them. For collections of values: those of links are `ObjectResults`.
///
/// Found when first asked for, again when the object that has the collection may have changed.
/// Confined as their collection; frozen ones are found when they are made and may be used anywhere.
package final class ElementResults {
    let collection: CollectionHandle
    /// What is done to the elements, in this order.
    package let steps: [Step]
    private var found: Found?

    package enum Step: Hashable, Sendable {
        /// By value, nulls first. What is equal keeps its order.
        case sort(isAscending: Bool)
        /// The first of equal elements.
        case distinct
        case limit(Int)
    }

    private struct Found {
        /// Where each of the elements is in the collection.
        let positions: [Int]
        let basis: ResultDependencies
    }

    /// Throws what reading the collection throws, if its instance is frozen.
    package init(_ collection: CollectionHandle, _ steps: [Step] = []) throws(RealmError) {
        (self.collection, self.steps) = (collection, steps)
        if instance.isFrozen { found = try find() }
    }

    var instance: Instance { collection.owner.objects.instance }

    /// With one more step.
    package func arranged(_ step: Step) throws(RealmError) -> ElementResults {
        try ElementResults(collection, steps + [step])
    }

    /// Number of elements; none when the collection is gone.
    package var count: Int { get throws(RealmError) { try positions().count } }

    /// Throws `misuse` when there are no more than that.
    package func element(at position: Int) throws(RealmError) -> Value {
        try collection.element(at: place(of: position))
    }

    /// Where the element at a position is in the collection.
    func place(of position: Int) throws(RealmError) -> Int {
        let positions = try positions()
        guard position >= 0, position < positions.count else {
            throw ObjectResults.outOfBounds(position, positions.count)
        }
        return positions[position]
    }

    /// Position of the first element equal to `value`.
    package func index(of value: Value) throws(RealmError) -> Int? {
        if steps.isEmpty { return try collection.index(of: value) }
        let elements = try collection.elements()
        return try positions().firstIndex { ValueOrder.areEqual(elements[$0], value) }
    }

    /// An aggregate of the elements; see `CollectionHandle.aggregate`.
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
        case .sort(let isAscending): Self.sort(&positions, elements, isAscending)
        case .distinct:
            // Equal ones lie side by side, the first of them in front.
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

    private static func sort(_ positions: inout [Int], _ elements: [Value], _ isAscending: Bool) {
        positions.order {
            let way = ValueRules.compare(elements[$0], elements[$1])
            return isAscending ? way < 0 : way > 0
        }
    }
}
