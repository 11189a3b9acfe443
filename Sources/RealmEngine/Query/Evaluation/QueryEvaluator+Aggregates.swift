/// `@min @max @sum @avg` (query language 17).
extension QueryEvaluator {
    func append(
        _ aggregate: BoundAggregate, _ spot: RowLocation, _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        let path = aggregate.path
        if let property = aggregate.property {
            let keys = takeKeys()
            defer { giveBack(keys) }
            try collectTargets(path.hops[...], from: spot, .counted, into: keys)
            // In the order of the keys, on which the rounding of sums depends.
            keys.sort()
            var total = AggregateState(aggregate.function, of: aggregate.element)
            for i in 0..<keys.keys.count {
                guard let target = try find(keys.keys[i], in: path.table) else { continue }
                total.add(try target.value(property), times: keys.times(i))
            }
            buffer.values.append(total.result)
            return
        }
        guard case .collection(let column, _) = path.end else { return }
        if path.isToOne {
            let owner = try follow(path.hops[...], from: spot)
            buffer.values.append(try result(aggregate, column, owner))
            return
        }
        let keys = takeKeys()
        defer { giveBack(keys) }
        try collectTargets(path.hops[...], from: spot, repeats, into: keys)
        for key in keys.keys.all {
            guard let owner = try find(key, in: path.table) else { continue }
            buffer.values.append(try result(aggregate, column, owner))
        }
    }

    /// The aggregate of one collection; a missing owner counts as an empty one.
    private func result(
        _ aggregate: BoundAggregate, _ column: BoundColumn, _ owner: RowLocation?
    ) throws(RealmError) -> Value {
        var total = AggregateState(
            aggregate.function, of: aggregate.element,
            inDictionary: column.layout.collection == .dictionary)
        guard let owner else { return total.result }
        switch try owner.value(column) {
        case .list(let view), .set(let view):
            if view.root.isNone { break }
            var cursor = elements(of: view, owner)
            while let value = try cursor.next() { total.add(value) }
        case .dictionary(let view):
            var cursor = try entries(of: view, owner)
            while let (_, value) = try cursor.next() { total.add(value) }
        default: break
        }
        return total.result
    }
}
