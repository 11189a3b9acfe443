/// Evaluates aggregate functions over collections and links (query language 17).
extension QueryEvaluator {
    func append(
        _ aggregate: BoundAggregate, _ location: RowLocation, _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        let path = aggregate.path
        if let property = aggregate.property {
            let keys = takeKeys()
            defer { returnList(keys) }
            try collectTargets(path.hops[...], from: location, .counted, into: keys)
            // Sort by key: the rounding of a sum depends on the order of its terms.
            keys.sort()
            let run = run(of: aggregate)
            for i in 0..<keys.keys.count {
                guard let target = try find(keys.keys[i], in: path.table) else { continue }
                run.add(try target.value(property), times: keys.times(i))
            }
            buffer.values.append(run.result(.wraps))
            return
        }
        guard case .collection(let column, _) = path.end else { return }
        if path.isToOne {
            let owner = try follow(path.hops[...], from: location)
            buffer.values.append(try result(aggregate, column, owner))
            return
        }
        try visitTargets(path.hops[...], from: location, repeats, in: path.table) {
            (owner) throws(RealmError) in
            buffer.values.append(try result(aggregate, column, owner))
        }
    }

    /// Returns the aggregate of the collection in `column` of object `owner`. Nil for `owner` means
    /// that a link in the path is null; the aggregate then has no values.
    private func result(
        _ aggregate: BoundAggregate, _ column: BoundColumn, _ owner: RowLocation?
    ) throws(RealmError) -> Value {
        let run = run(of: aggregate)
        guard let owner else { return run.result(.wraps) }
        switch try owner.value(column) {
        case .list(let view), .set(let view):
            if view.root.isNone { break }
            var cursor = elements(of: view, owner)
            if aggregate.element.isPacked {
                while let leaf = try cursor.nextLeaf() { try run.add(leaf) }
            } else {
                while let value = try cursor.next() { run.add(value) }
            }
        case .dictionary(let view):
            var cursor = try entries(of: view, owner)
            while let (_, value) = try cursor.next() { run.add(value) }
        default: break
        }
        return run.result(.wraps)
    }
}

extension OperandType {
    /// Whether properties of this type are stored in packed leaves, in which an aggregate is
    /// computed by one loop per leaf.
    fileprivate var isPacked: Bool { self == .int || self == .float || self == .double }
}
