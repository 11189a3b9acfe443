/// Search in results.
extension ObjectResults {
    /// The first object; nil if there is none.
    var first: ObjectHandle? {
        get throws(RealmError) { try isEmpty ? nil : object(at: 0) }
    }

    var last: ObjectHandle? {
        get throws(RealmError) {
            let count = try count
            return count == 0 ? nil : try object(at: count - 1)
        }
    }

    /// Index of the object with `key`, the first one if it appears several times; nil if it does
    /// not appear.
    package func index(of key: ObjectKey) throws(RealmError) -> Int? {
        switch try current().members {
        case .keys(let keys, isAscending: true):
            return keys.position(of: key)
        case .keys(let keys, isAscending: false): return keys.firstIndex(of: key)
        case .everything, .number:
            return try allObjects { (tree) throws(RealmError) in try tree.position(of: key) }
        }
    }

    func contains(_ key: ObjectKey) throws(RealmError) -> Bool {
        if definition.isEverything { return try ObjectHandle(objects, key).exists }
        return try index(of: key) != nil
    }

    /// Index of the first object that satisfies the condition of `query`, whose SORT, DISTINCT and
    /// LIMIT are ignored. Nil if there is none. Throws the errors of `filtered`.
    package func index(matching query: Query) throws(RealmError) -> Int? {
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(definition.table) else { return nil }
        let bound = try query.bound(to: snapshot.table(info))
        guard case .keys(let keys, _) = try current().members else {
            let plan = try QueryPlan(bound.unarranged, in: snapshot)
            guard let key = try plan.first(in: snapshot) else { return nil }
            return try index(of: key)
        }
        let test = ObjectTest(bound, snapshot)
        for (position, key) in keys.enumerated() where try test.matches(key) { return position }
        return nil
    }
}
