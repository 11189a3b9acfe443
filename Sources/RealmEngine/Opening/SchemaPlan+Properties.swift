extension SchemaPlan {
    static var notAProperty: RealmError {
        .misuse("a class is no property", code: "InvalidProperty", reason: "schema")
    }

    /// Makes a property optional or required. If it becomes required, nulls are replaced by the
    /// default value of new objects.
    package mutating func setOptional(
        _ schemaElement: SchemaElement, _ isOptional: Bool
    ) throws(RealmError) {
        guard let index = schemaElement.property else { throw Self.notAProperty }
        let table = schemaElement.table
        let property = classes[table].properties[index]
        let name = classes[table].name
        guard property.mayChoosePresence else {
            throw .misuse(
                "\(name).\(property.name) is \(property.typeText), which cannot be chosen to be "
                    + "optional or required", code: "SchemaMismatch", reason: "schema")
        }
        if property.isOptional == isOptional { return }
        let nulls = isOptional ? 0 : try self.nulls(name, property)
        plan(
            .setOptional(name, property.name, isOptional),
            note: Self.counted(nulls, "null", "lost"), losesData: nulls > 0)
        classes[table].properties[index].isOptional = isOptional
    }

    /// Counts the objects in which the property, or an element of its collection, is null.
    private func nulls(
        _ name: String, _ property: PropertyDescription
    ) throws(RealmError) -> Int {
        guard let (info, column) = storedColumn(name, property) else { return 0 }
        snapshot.beginWalk()
        let scan = snapshot.table(info).scan(columns: [column])
        var count = 0
        while try scan.next() {
            for row in 0..<scan.count {
                if try holdsNull(try scan.value(row: row, column: 0)) { count += 1 }
            }
        }
        return count
    }

    private func holdsNull(_ value: Value) throws(RealmError) -> Bool {
        switch value {
        case .null: return true
        case .list(let view), .set(let view):
            var elements = snapshot.elements(of: view, walking: true)
            while let element = try elements.next() {
                if case .null = element { return true }
            }
        case .dictionary(let view):
            var entries = try snapshot.entries(of: view, walking: true)
            while let (_, element) = try entries.next() {
                if case .null = element { return true }
            }
        default: break
        }
        return false
    }

    /// Adds or removes the search index of a property.
    package mutating func setIndex(_ schemaElement: SchemaElement, isWanted: Bool)
        throws(RealmError)
    {
        guard let index = schemaElement.property else { throw Self.notAProperty }
        let table = schemaElement.table
        let property = classes[table].properties[index]
        let name = classes[table].name
        guard classes[table].primaryKey != property.name else {
            if isWanted { return }
            throw .misuse(
                "\(name).\(property.name) is the primary key, which keeps its index",
                code: "SchemaMismatch", reason: "schema")
        }
        if isWanted == (property.isIndexed || property.isFullText) { return }
        plan(.setIndex(name, property.name, isWanted ? .general : .none))
        classes[table].properties[index].isIndexed = isWanted
        classes[table].properties[index].isFullText = false
    }

    /// Sets the schema version.
    ///
    /// - Parameter mayLower: whether the version may become lower than the present one. If false, a
    ///   lower version is ignored.
    package mutating func setVersion(_ version: UInt64, mayLower: Bool) {
        guard version != newVersion else { return }
        let isLower = newVersion.map { version < $0 } ?? false
        if isLower, !mayLower { return }
        plan(
            .setVersion(version), note: isLower ? "lower than \(newVersion!)" : nil,
            losesData: isLower)
        newVersion = version
    }
}
