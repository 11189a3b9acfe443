extension SchemaPlan {
    /// Plans the additions that the wanted classes require: missing classes first, so that links
    /// find their targets, then missing properties. Other classes and properties of the database
    /// are kept.
    ///
    /// Throws if an existing property differs from the wanted one. If a wanted class has no primary
    /// key, the key of an existing class is not changed.
    package mutating func add(_ wanted: [ClassSpec]) throws(RealmError) {
        for spec in wanted {
            if let table = index(of: spec.name) {
                try checkAgreement(classes[table], spec)
                continue
            }
            let count = spec.properties.count
            plan(.addClass(spec), note: "\(count) \(count == 1 ? "property" : "properties")")
            var bare = spec
            bare.properties = spec.primaryKey.flatMap { spec.property($0) }.map { [$0] } ?? []
            append(bare)
        }
        for spec in wanted {
            let table = try position(spec.name)
            var places = Dictionary(
                classes[table].properties.enumerated().map { ($1.name, $0) },
                uniquingKeysWith: { first, _ in first })
            for property in spec.properties { try add(property, to: table, &places) }
        }
    }

    /// Plans the addition of a property to the class at index `table`. If the class already has the
    /// property, plans only the index that it lacks, if any.
    ///
    /// - Parameter places: the indexes of the class's properties, by name.
    private mutating func add(
        _ property: PropertyDescription, to table: Int, _ places: inout [String: Int]
    ) throws(RealmError) {
        let name = classes[table].name
        if let target = property.target, index(of: target) == nil {
            throw .misuse(
                "\(name).\(property.name): there is no type or class \(target)",
                code: "NoSuchTable", reason: "unknown-class",
                hint: advice(.target(name: target, classes: classes.map(\.name))))
        }
        guard let place = places[property.name] else {
            plan(.addProperty(name, property))
            places[property.name] = classes[table].properties.count
            classes[table].append(property)
            addLinkTarget(of: property)
            return
        }
        let present = classes[table].properties[place]
        try checkAgreement(name, present, property)
        let isKey = classes[table].primaryKey == property.name
        if property.isFullText, !present.isFullText {
            plan(.setIndex(name, property.name, .fullText))
            classes[table].properties[place].isFullText = true
        } else if property.isIndexed, !present.isIndexed, !isKey {
            plan(.setIndex(name, property.name, .general))
            classes[table].properties[place].isIndexed = true
        }
    }

    private func checkAgreement(
        _ present: ClassSpec, _ wanted: ClassSpec
    ) throws(RealmError) {
        let difference: String
        if present.kind != wanted.kind {
            difference = "it is \(Self.words(present.kind)), not \(Self.words(wanted.kind))"
        } else if let key = wanted.primaryKey, key != present.primaryKey {
            difference =
                present.primaryKey.map { "its primary key is \($0), not \(key)" }
                ?? "it has no primary key"
        } else {
            return
        }
        throw .misuse(
            "class \(wanted.name) differs and cannot change: \(difference)",
            code: "SchemaMismatch", reason: "schema")
    }

    private static func words(_ kind: TableKind) -> String {
        switch kind {
        case .topLevel: "an ordinary class"
        case .embedded: "a class of embedded objects"
        case .asymmetric: "an asymmetric class"
        }
    }

    private func checkAgreement(
        _ table: String, _ present: PropertyDescription, _ wanted: PropertyDescription
    ) throws(RealmError) {
        let disagreement: Disagreement
        if !present.hasSameType(as: wanted) {
            disagreement = .type(className: table, property: wanted.name)
        } else if present.hasOtherPresence(than: wanted) {
            disagreement = .presence(
                className: table, property: wanted.name, isOptional: wanted.isOptional)
        } else {
            return
        }
        throw .misuse(
            "\(table).\(wanted.name) is \(present.typeText), not \(wanted.typeText)",
            code: "SchemaMismatch", reason: "schema", hint: advice(disagreement))
    }
}
