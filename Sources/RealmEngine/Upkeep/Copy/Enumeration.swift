/// Which string properties a compaction stores as numbers that stand for distinct values (object
/// format 3.6).
package enum Enumeration: Sendable, Equatable {
    /// A property by the name of its class and its own.
    package struct Property: Sendable, Equatable {
        let className: String
        let name: String

        package init(className: String, name: String) {
            self.className = className
            self.name = name
        }
    }

    /// None but those that are enumerated already.
    case none
    /// All that become smaller that way.
    case smaller
    /// Those that become smaller and have less distinct values than this share of all, in percent.
    case below(percent: Int)
    /// These, whatever becomes of their size.
    case properties([Property])

    /// Finds out whether all properties named exist and can be enumerated.
    ///
    /// - Throws: `misuse` that names the one that does not.
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

    /// The distinct values of the columns of a table that are to be enumerated, by column.
    ///
    /// - Throws: `misuse` when a property that was named has too many.
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
