/// Selects the string properties that a compaction stores as indexes in a list of their distinct
/// values (object format 3.6). Such a property is *enumerated*.
package enum Enumeration: Sendable, Equatable {
    /// A property, identified by class name and property name.
    package struct Property: Sendable, Equatable {
        let className: String
        let name: String

        package init(className: String, name: String) {
            self.className = className
            self.name = name
        }
    }

    /// Enumerates no further properties. Properties that are already enumerated stay so.
    case none
    /// Enumerates all properties that take less space if they are enumerated.
    case smaller
    /// Enumerates the properties that take less space if they are enumerated, and that have few
    /// distinct values: fewer than this percentage of the number of objects.
    case below(percent: Int)
    /// Enumerates the given properties, even if they then take more space.
    case properties([Property])

    /// Checks that all named properties exist and can be enumerated.
    ///
    /// - Throws: `misuse` that names the first property that does not exist or cannot be
    ///   enumerated.
    func check(_ schema: Schema) throws(RealmError) {
        guard case .properties(let properties) = self else { return }
        for property in properties {
            guard let info = schema.table(named: property.className) else {
                throw Self.refusal(property, "there is no such class")
            }
            guard let index = info.columns.firstIndex(where: { $0.name == property.name }) else {
                throw Self.refusal(property, "there is no such property")
            }
            if let obstacle = DistinctValues.obstacle(info, index) {
                throw Self.refusal(property, "it \(obstacle)")
            }
        }
    }

    /// Returns the distinct values of those columns of a table that are to be enumerated, by column
    /// index.
    func values(_ table: Table, maxMemory: Int) throws(RealmError) -> [Int: DistinctValues] {
        var found: [Int: DistinctValues] = [:]
        for (index, column) in table.info.columns.enumerated()
        where column.distinct.isNone && DistinctValues.obstacle(table.info, index) == nil {
            let property = Property(className: table.info.className, name: column.name)
            guard mayChoose(property) else { continue }
            let values = try DistinctValues(table, column: index, maxMemory: maxMemory)
            if let values, try chooses(values, table) { found[index] = values }
            if case .properties = self, values == nil, try table.count() > 0 {
                throw Self.refusal(property, "it has too many distinct values")
            }
        }
        return found
    }

    private func mayChoose(_ property: Property) -> Bool {
        switch self {
        case .none: false
        case .smaller, .below: true
        case .properties(let properties): properties.contains(property)
        }
    }

    private func chooses(_ values: DistinctValues, _ table: Table) throws(RealmError) -> Bool {
        switch self {
        case .none: false
        case .smaller: values.saving > 0
        case .below(let percent): values.saving > 0 ? try values.isBelow(percent, table) : false
        case .properties: true
        }
    }

    private static func refusal(_ property: Property, _ why: String) -> RealmError {
        .misuse(
            "\(property.className).\(property.name) cannot be enumerated: \(why)",
            code: "InvalidProperty")
    }
}
