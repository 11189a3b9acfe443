/// Aggregates and columns of results.
extension ObjectResults {
    /// Returns an aggregate of a property over all objects. Skips nulls, and NaN except for a float
    /// or double NaN in a mixed property. If no values remain, the minimum, maximum and average are
    /// null, and the sum is zero.
    ///
    /// If the results are not cached already, this neither evaluates nor caches their objects.
    ///
    /// - Parameter property: index among the properties of the class.
    /// - Throws: `misuse` for a property for which the function is not defined.
    package func aggregate(
        _ function: AggregateFunction, of property: Int
    ) throws(RealmError) -> Value {
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(definition.table) else {
            return function.result(of: [], objects.properties[property].type) ?? .null
        }
        let column = try column(property, of: info)
        guard let expression = AggregateExpression(function, of: column, in: info) else {
            throw .misuse(
                "Operation '\(function.title)' not supported for property "
                    + "'\(info.className).\(info.columns[column].name)'", code: "IllegalOperation")
        }
        let table = snapshot.table(info)
        if foundNow == nil || definition.isEverything,
            let plan = try definition.unarrangedPlan(for: table)
        {
            return try plan.aggregates([expression], .wraps, in: snapshot).values[0]
        }
        guard case .keys(let keys, _) = try current().members else { return .null }
        return try table.aggregates([expression], .wraps, of: keys).values[0]
    }

    /// Calls `body` with the values of a property in the order of the objects. Reads only that
    /// column. `body` must not change data. The bytes of a value have the lifetime described at
    /// `ObjectHandle`.
    func values(
        of property: Int, _ body: (Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        let content = try current()
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(definition.table) else { return }
        snapshot.beginWalk()
        let scan = snapshot.table(info).scan(columns: [try column(property, of: info)])
        if case .keys(let keys, _) = content.members {
            for key in keys {
                guard let row = try scan.seek(key) else { continue }
                try body(scan.value(row: row, column: 0))
            }
            return
        }
        while try scan.next() {
            for row in 0..<scan.count { try body(scan.value(row: row, column: 0)) }
        }
    }

    /// Calls `body` with the primary keys in the order of the objects, for example to find the
    /// objects on other threads. See `values`. Throws `misuse` for a class without primary key.
    package func primaryKeys(
        _ body: (Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard let info = instance.schema.table(definition.table) else { return }
        guard let primary = info.primaryKey,
            let property = objects.properties.firstIndex(where: {
                $0.key == info.columns[primary].key
            })
        else {
            throw .misuse(
                "class \(info.className) has no primary key", code: "InvalidProperty")
        }
        try values(of: property, body)
    }

    private func column(_ property: Int, of info: TableInfo) throws(RealmError) -> Int {
        let key = objects.properties[property].key
        guard let column = info.columns.firstIndex(where: { $0.key == key }) else {
            throw .misuse("The property has been removed from the file.", code: "InvalidProperty")
        }
        return column
    }
}
