/// Plans changes of property types, of primary keys, and of whether classes are embedded.
extension SchemaPlan {
    /// The planned type of a stored property.
    struct PlannedTypeChange {
        let old: PropertyDescription
        let new: PropertyDescription
        let rule: MisfitRule
    }

    /// Plans to change the type of a property. `new` describes the property with its new type,
    /// under the same name.
    ///
    /// Throws `misuse` if the old type cannot be converted to the new one, or if the plan already
    /// changes the type of this property. If `rule` is `refuse`, also throws if some values cannot
    /// be converted; the message then lists the first of them.
    package mutating func setType(
        _ place: SchemaElement, _ new: PropertyDescription, _ rule: MisfitRule
    ) throws(RealmError) {
        let table = place.table
        guard let index = place.property else { throw Self.notAProperty }
        let name = classes[table].name
        let old = classes[table].properties[index]
        if old.hasSameType(as: new), old.isOptional == new.isOptional { return }
        try checkTypes(name, old, new)
        var new = new
        new.storedKey = old.storedKey
        (new.isIndexed, new.isFullText) = (old.isIndexed, old.isFullText)
        if new.index.obstacle(new.type, new.collection) != nil {
            (new.isIndexed, new.isFullText) = (false, false)
        }
        let findings = try findings(name, old, new, rule)
        if rule == .refuse, findings.losses.misfits > 0 {
            throw .misuse(
                "\(findings.losses.misfits) of the values of \(name).\(old.name) cannot become "
                    + "\(new.typeText): \(findings.examples.joined(separator: ", "))"
                    + (findings.losses.misfits > findings.examples.count ? " ..." : ""),
                code: "IllegalOperation", reason: "misfit",
                hint: advice(.misfits))
        }
        let notes = [
            Self.counted(findings.values, "value", "converted"),
            Self.counted(findings.losses.rounded, "value", "rounded"),
            Self.counted(findings.losses.misfits, "value", "lost"),
            Self.counted(findings.repeated, "repeated value", "lost"),
        ].compactMap { $0 }
        plan(
            .setType(name, new, rule),
            note: notes.isEmpty ? nil : notes.joined(separator: ", "),
            losesData: findings.losses.rounded + findings.losses.misfits + findings.repeated > 0)
        classes[table].properties.remove(at: index)
        classes[table].append(new)
        addLinkTarget(of: new)
        guard let key = old.storedKey, let info = stored[name] else { return }
        typeChanges[info.key, default: [:]][key] = PlannedTypeChange(
            old: old, new: new, rule: rule)
    }

    /// The name of a property; nil if `place` is a class.
    package func propertyName(at place: SchemaElement) -> String? {
        place.property.map { classes[place.table].properties[$0].name }
    }

    private func checkTypes(
        _ name: String, _ old: PropertyDescription, _ new: PropertyDescription
    ) throws(RealmError) {
        func refuse(_ why: String) -> RealmError {
            .misuse(
                "\(name).\(old.name) cannot change from \(old.typeText) to \(new.typeText): \(why)",
                code: "SchemaMismatch", reason: "schema")
        }
        guard old.collection != .dictionary, new.collection != .dictionary else {
            throw refuse("a dictionary stays what it is")
        }
        for property in [old, new] {
            guard let target = property.target else { continue }
            guard let place = self.index(of: target) else {
                throw refuse("there is no class \(target)")
            }
            guard classes[place].kind == .topLevel else {
                throw refuse("objects of \(target) belong to the property that holds them")
            }
        }
        if let (info, column) = storedColumn(name, old),
            typeChanges[info.key]?[info.columns[column].key] != nil
        {
            throw refuse("its type was changed already")
        }
        let isKey = classes[try position(name)].primaryKey == old.name
        guard !isKey || new.type.mayBePrimaryKey && new.collection == nil else {
            throw refuse("a primary key is an int, string, objectId or uuid")
        }
        guard ConversionTable.hasMeaning(from: old.type, to: new.type) else {
            throw refuse("no value of one is a value of the other")
        }
    }

    /// Numbers of values that a conversion to another type would convert, round and lose.
    private struct Findings {
        var values = 0
        var losses = TypeChange.Losses()
        /// Number of values that are lost because a set contains equal values only once.
        var repeated = 0
        /// Examples for the error message: the first values that cannot be converted, as text.
        var examples: [String] = []
    }

    private static let exampleCount = 10

    /// Converts the values of the database without storing the results, and counts the outcomes.
    private func findings(
        _ name: String, _ old: PropertyDescription, _ new: PropertyDescription, _ rule: MisfitRule
    ) throws(RealmError) -> Findings {
        var found = Findings()
        guard let (info, column) = storedColumn(name, old) else { return found }
        var change = conversion(to: new, rule)
        snapshot.beginWalk()
        let keyColumn = info.primaryKey
        let scan = snapshot.table(info).scan(columns: [column] + (keyColumn.map { [$0] } ?? []))
        while try scan.next() {
            for row in 0..<scan.count {
                let value = try scan.value(row: row, column: 0)
                let before = change.losses.misfits
                let texts =
                    new.collection == .set && new.type == .string && old.type != .string
                    ? TextHeads(capacity: 0) : nil
                defer { withExtendedLifetime(texts) {} }
                let result = try result(of: value, old, &change, texts: texts)
                found.values += 1
                if case .elements(let values) = result, new.collection == .set {
                    found.repeated += values.count - (try WriteTransaction.asSet(values).count)
                }
                guard change.losses.misfits > before, found.examples.count < Self.exampleCount
                else { continue }
                var key = "object \(scan.key(row).raw)"
                if keyColumn != nil { key = Self.shown(try scan.value(row: row, column: 1)) }
                found.examples.append("\(key) has \(Self.shown(value))")
            }
        }
        found.losses = change.losses
        return found
    }

    private func conversion(to new: PropertyDescription, _ rule: MisfitRule) -> TypeChange {
        TypeChange(to: new, target: new.target.flatMap { stored[$0]?.key } ?? .none, rule)
    }

    /// - Parameter texts: memory for copies of the converted texts, if the caller compares the
    ///   elements of one result. The conversion writes all texts into one buffer, so without copies
    ///   each text would overwrite the one before. Nil if the caller does not compare elements.
    private func result(
        of value: Value, _ old: PropertyDescription, _ change: inout TypeChange,
        texts: TextHeads? = nil
    ) throws(RealmError) -> TypeChange.Result {
        switch value {
        case .list(let view) where old.collection != nil,
            .set(let view) where old.collection != nil:
            var elements = snapshot.elements(of: view, walking: true)
            var values: [Value] = []
            while let element = try elements.next() { values.append(element) }
            return change.result(of: values) { texts?.copy(of: $0) ?? $0 }
        default: return change.result(of: value) { $0 }
        }
    }

    /// Text of the value in error messages; strings are shortened and quoted.
    private static func shown(_ value: Value) -> String {
        var conversion = ValueConversion(to: .string, target: .none)
        switch value {
        case .null: return "null"
        case .string(let text): return "'\(text.string.prefix(40))'"
        case .list, .set, .dictionary: return "a \(value.kindName)"
        case .link(let link): return "object \(link.key.raw)"
        default:
            if case .exact(.string(let text)) = conversion.convert(value) { return text.string }
            return value.kindName
        }
    }
}

/// The pairs of types between which values can be converted.
private enum ConversionTable {
    static func hasMeaning(from old: ColumnType, to new: ColumnType) -> Bool {
        if old == new || old == .mixed || new == .mixed { return true }
        if old.isNumeric, new.isNumeric { return true }
        switch (old, new) {
        case (.link, _), (_, .link): return false
        case (.string, _), (_, .string): return true
        case (.int, .bool), (.bool, .int), (.int, .timestamp), (.timestamp, .int): return true
        default: return false
        }
    }
}

// MARK: - Primary keys and kinds

extension SchemaPlan {
    /// Makes a property the primary key of its class.
    ///
    /// Throws `misuse` if several objects have the same value; the message contains the first such
    /// values.
    package mutating func setPrimaryKey(_ place: SchemaElement) throws(RealmError) {
        guard let index = place.property else { throw Self.notAProperty }
        let table = place.table
        let name = classes[table].name
        let property = classes[table].properties[index]
        if classes[table].primaryKey == property.name { return }
        guard property.type.mayBePrimaryKey, property.collection == nil else {
            throw .misuse(
                "\(name).\(property.name) is \(property.typeText); a primary key is an int, "
                    + "string, objectId or uuid", code: "SchemaMismatch", reason: "schema")
        }
        try checkAreDistinct(name, property)
        plan(
            .setPrimaryKey(name, property.name),
            note: classes[table].primaryKey.map { "instead of \($0)" })
        classes[table].primaryKey = property.name
    }

    package mutating func removePrimaryKey(_ place: SchemaElement) throws(RealmError) {
        let table = place.table
        guard place.property == nil else {
            throw .misuse("a property is no class", code: "NoSuchTable", reason: "schema")
        }
        guard let key = classes[table].primaryKey else { return }
        plan(.setPrimaryKey(classes[table].name, nil), note: "\(key) stays a property")
        classes[table].primaryKey = nil
    }

    /// Changes whether the objects of a class are embedded: an embedded object belongs to one other
    /// object, other objects exist independently.
    package mutating func setKind(_ place: SchemaElement, _ kind: TableKind) throws(RealmError) {
        guard place.property == nil else {
            throw .misuse("a property is no class", code: "NoSuchTable", reason: "schema")
        }
        let table = place.table
        if classes[table].kind == kind { return }
        plan(
            .setKind(classes[table].name, kind),
            note: Self.counted(try objects(classes[table].name), "object", "kept"))
        classes[table].kind = kind
    }

    private func checkAreDistinct(
        _ name: String, _ property: PropertyDescription
    ) throws(RealmError) {
        guard let (info, column) = storedColumn(name, property) else { return }
        let planned = typeChanges[info.key]?[info.columns[column].key]
        var change = conversion(to: property, planned?.rule ?? .refuse)
        let numbers = ValueNumbers(copiesTexts: planned != nil)
        var counts: [Int] = []
        snapshot.beginWalk()
        let scan = snapshot.table(info).scan(columns: [column])
        while try scan.next() {
            for row in 0..<scan.count {
                var value = try scan.value(row: row, column: 0)
                if let planned, case .single(let new) = try result(of: value, planned.old, &change)
                {
                    value = new
                }
                let number = Int(numbers.number(of: value))
                if number == counts.count { counts.append(0) }
                counts[number] += 1
            }
        }
        let repeated = counts.indices.filter { counts[$0] > 1 }
        if repeated.isEmpty { return }
        let first = repeated.prefix(Self.exampleCount).map {
            "\(Self.shown(numbers.values[$0])) (\(counts[$0]) objects)"
        }
        throw .misuse(
            "\(name).\(property.name) cannot be the primary key, \(repeated.count) of its values "
                + "\(repeated.count == 1 ? "is" : "are") in several objects: "
                + first.joined(separator: ", ") + (repeated.count > first.count ? " ..." : ""),
            code: "IllegalOperation", reason: "duplicate-key")
    }
}
