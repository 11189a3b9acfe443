import RealmEngine

/// Checks rules that concern several classes of a schema (API specification 2.16). Opening a realm
/// whose classes violate a rule throws an error.
struct SchemaValidation {
    /// One line for each violation; empty for a valid schema.
    private(set) var violations: [String] = []
    /// Classes by their name in files. Several classes of the program may have the same name in
    /// files.
    private let classes: [String: [ClassModel]]

    init(_ models: [ClassModel]) {
        classes = Dictionary(grouping: models, by: \.name)
        for model in models {
            checkNames(model)
            checkEmbedded(model)
            for field in model.fields { check(field, of: model) }
        }
        // The search for cycles requires that every link references a class of the schema.
        if !violations.isEmpty { return }
        for model in models { checkCycles(model) }
    }

    /// Message of the error that is thrown when a realm is opened; nil for a valid schema.
    var refusal: String? {
        if violations.isEmpty { return nil }
        return "Schema validation failed due to the following errors:"
            + violations.map { "\n- \($0)" }.joined()
    }

    // MARK: Properties

    private mutating func check(_ field: ClassModel.Field, of model: ClassModel) {
        let name = "\(model.name).\(field.name)"
        if field.isIndexed, !field.isPrimaryKey, !field.shape.isIndexable {
            violations.append(
                "Property '\(name)' of type '\(field.shape.schemaName)' cannot be indexed.")
        }
        if field.shape.collection == .set, field.shape.target is EmbeddedObject.Type {
            violations.append(
                "Set property '\(name)' cannot contain embedded object type "
                    + "'\(field.shape.target!.className())'. Set semantics are not applicable to "
                    + "embedded objects.")
        }
        if field.isLinkingObjects { checkOrigin(field, name, model) }
    }

    /// Checks a property of linking objects: its origin must be a property of the linking class,
    /// and must link to `model`.
    private mutating func checkOrigin(
        _ field: ClassModel.Field, _ name: String, _ model: ClassModel
    ) {
        let target = field.shape.target!.className()
        guard let candidates = classes[target] else {
            violations.append(
                "Property '\(name)' of type 'linking objects' has unknown object type '\(target)'")
            return
        }
        let origin = field.originProperty ?? ""
        let subject =
            "Property '\(target).\(origin)' declared as origin of linking objects property '\(name)'"
        let found = candidates.lazy.flatMap(\.fields).first {
            $0.name == origin || $0.column == origin
        }
        guard let found else { return violations.append("\(subject) does not exist") }
        guard found.shape.type == .object, let linked = found.shape.target else {
            return violations.append("\(subject) is not a link")
        }
        if linked.className() != model.name {
            violations.append("\(subject) links to type '\(linked.className())'")
        }
    }

    // MARK: Names

    private mutating func checkNames(_ model: ClassModel) {
        var columns: Set<String> = []
        for field in model.fields where !columns.insert(field.column).inserted {
            violations.append(
                "Property '\(field.column)' appears more than once in the schema for type "
                    + "'\(model.name)'.")
        }
        for field in model.fields where field.name != field.column && columns.contains(field.name) {
            violations.append(
                "Property '\(model.name).\(field.column)' has an alias '\(field.name)' that "
                    + "conflicts with a property of the same name.")
        }
    }

    // MARK: Embedded objects

    private mutating func checkEmbedded(_ model: ClassModel) {
        if model.isEmbedded, model.primaryKey != nil {
            violations.append("Embedded object type '\(model.name)' cannot have a primary key.")
        }
    }

    private mutating func checkCycles(_ model: ClassModel) {
        guard model.isEmbedded, let path = cycle(from: model) else { return }
        violations.append(
            "Cycles containing embedded objects are not currently supported: '\(path)'")
    }

    /// Returns the shortest cycle of properties from an embedded class through embedded classes
    /// back to it, as `Class.property.property`; nil if there is none.
    private func cycle(from start: ClassModel) -> String? {
        var seen: Set<String> = []
        var queue = [(model: start, path: start.name)]
        var next = 0
        while next < queue.count {
            let (model, path) = queue[next]
            next += 1
            for field in model.fields where field.shape.type == .object {
                guard let target = field.shape.target as? EmbeddedObject.Type else { continue }
                let name = target.className()
                let longer = "\(path).\(field.name)"
                if name == start.name { return longer }
                if seen.insert(name).inserted {
                    queue += (classes[name] ?? []).map { ($0, longer) }
                }
            }
        }
        return nil
    }
}

extension _PropertyShape {
    /// Whether a property with this description can have a search index.
    fileprivate var isIndexable: Bool {
        if let collection { return collection == .list && type == .string }
        return type.column?.mayBeIndexed ?? false
    }

    /// Name of the type in messages about a schema.
    fileprivate var schemaName: String {
        switch collection {
        case nil: type.schemaName
        case .list: "array"
        case .set: "set"
        case .dictionary: "dictionary"
        }
    }
}
