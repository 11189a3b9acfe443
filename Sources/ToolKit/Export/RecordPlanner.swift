import RealmEngine

/// Argument of `--provenance`: whether to print the offsets of objects or of values.
package enum Provenance: String, CaseIterable, Sendable {
    case object, value
}

/// Options that select the fields of a class.
package struct FieldRequest: Sendable {
    package typealias Field = (label: String?, path: String)

    /// `--fields`: paths and their labels; nil for all properties.
    package var fields: [Field]?
    /// Property paths of `--exclude`.
    package var excluded: [String] = []
    /// Property paths of `--expand`.
    package var expanded: [String] = []
    /// Path of `--explode`.
    package var exploded: String?
    /// Whether `--backlinks` is given.
    package var hasBacklinks = false
    /// Whether records of a class without primary key begin with the object key. Links contain the
    /// object keys of such objects.
    package var hasKeys = false
    /// Whether records begin with `"$class"`.
    package var namesClass = false
    /// Path of the database file, if records begin with it as `"$file"`; otherwise nil.
    package var file: String?
    /// Argument of `--provenance`.
    package var provenance: Provenance?
    /// Time zone of the functions of dates.
    package var zone = ZoneRules.utc

    package init(
        fields: [Field]? = nil, excluded: [String] = [],
        expanded: [String] = [], exploded: String? = nil, hasBacklinks: Bool = false,
        hasKeys: Bool = false, namesClass: Bool = false
    ) {
        self.fields = fields
        self.excluded = excluded
        self.expanded = expanded
        self.exploded = exploded
        self.hasBacklinks = hasBacklinks
        self.hasKeys = hasKeys
        self.namesClass = namesClass
    }
}

/// Makes the `RecordPlan` of a class from the options that select fields.
package struct RecordPlanner {
    let schema: Schema
    package let table: TableInfo
    let request: FieldRequest
    let values: ValueStyle
    private var columns: [Int] = []
    /// For each column that a field reads, its index in `columns`.
    private var positions: [Int: Int] = [:]

    package init(
        _ table: TableInfo, _ schema: Schema, _ request: FieldRequest, _ values: ValueStyle
    ) {
        self.table = table
        self.schema = schema
        self.request = request
        self.values = values
    }

    /// Makes the plan. Throws `misuse` for paths that the schema does not have.
    package mutating func plan() throws(RealmError) -> RecordPlan {
        let exploded = try explodedPath()
        let expansion = Expansion(try expansionPaths())
        var fields: [RecordPlan.Field] = []
        var labels: Set<String> = []
        for (label, text) in try wantedFields(exploded) {
            guard labels.insert(label).inserted else {
                throw .misuse(
                    "--fields: two fields are called \(label)", code: "InvalidArgument",
                    reason: "duplicate-field", hint: "rename one: NAME=\(text)")
            }
            fields.append(try field(label, text, expansion, exploded))
        }
        fields += provenanceFields
        let explode = exploded.map {
            FieldPath(source: source($0.start), steps: $0.steps)
        }
        return RecordPlan(
            table: table, fields: fields, columns: columns, explode: explode,
            namesClass: request.namesClass, file: request.file)
    }

    private var provenanceFields: [RecordPlan.Field] {
        guard let provenance = request.provenance else { return [] }
        var parts: [(String, ProvenancePart)] = [("$offset", .offset), ("$row", .row)]
        if provenance == .value { parts.append(("$offsets", .values)) }
        return parts.map { label, part in
            RecordPlan.Field(
                label: label, path: FieldPath(source: .provenance(part), steps: []),
                expansion: nil, isMixed: false, isNumber: part != .values)
        }
    }

    private func wantedFields(
        _ exploded: PropertyPath?
    ) throws(RealmError) -> [(label: String, path: String)] {
        let backlinks =
            request.hasBacklinks ? table.backlinks.compactMap { $0.name(in: schema) } : []
        if let fields = request.fields {
            let wanted = fields.map { ($0.label ?? $0.path, $0.path) }
            let others = backlinks.filter { name in !wanted.contains { $0.1 == name } }
            return wanted + others.map { ($0, $0) }
        }
        var names = table.columns.filter { !values.omits($0) }.map(\.name)
        for name in request.excluded {
            guard table.columnIndex(named: name) != nil else {
                throw PropertyPath.unknown(name, table, "--exclude")
            }
            names.removeAll { $0 == name }
        }
        if request.hasKeys, table.primaryKey == nil, table.kind == .topLevel,
            table.columnIndex(named: PropertyPath.keyName) == nil
        {
            names.insert(PropertyPath.keyName, at: 0)
        }
        names += backlinks
        if let exploded {
            let place = names.firstIndex(of: exploded.text) ?? names.count
            if place == names.count { names.append(exploded.text) }
            if exploded.isDictionary { names.insert(exploded.elementKeyName, at: place) }
        }
        return names.map { ($0, $0) }
    }

    private mutating func field(
        _ label: String, _ text: String, _ expansion: Expansion?, _ exploded: PropertyPath?
    ) throws(RealmError) -> RecordPlan.Field {
        if let exploded, exploded.isDictionary, text == exploded.elementKeyName {
            return RecordPlan.Field(
                label: label, path: FieldPath(source: .elementKey, steps: []), expansion: nil,
                isMixed: false, isNumber: false)
        }
        if table.columnIndex(named: text) == nil,
            let function = try FieldFunction(text, request.zone)
        {
            return try field(label, function, exploded)
        }
        let path = try PropertyPath(text, in: table, schema, option: "--fields")
        var place = expansion
        for name in path.names { place = place?.child(name) }
        let (target, kind) = target(path, exploded)
        return RecordPlan.Field(
            label: label, path: target, expansion: place, isMixed: kind.isMixed,
            isNumber: path.isSingle && kind.isNumber)
    }

    /// Converts `path` to a `FieldPath`: the source at which the path begins, such as a column, and
    /// the names after the source. Also returns the type of the values at the end of the path. If
    /// the path begins with the collection of `--explode`, the source is the current element of the
    /// collection.
    private mutating func target(
        _ path: PropertyPath, _ exploded: PropertyPath?, _ function: FieldFunction? = nil
    ) -> (FieldPath, PropertyPath.Kind) {
        guard let exploded, let steps = path.steps(beyond: exploded) else {
            return (
                FieldPath(source: source(path.start), steps: path.steps, function), path.kind
            )
        }
        let target = FieldPath(source: .element, steps: steps, function)
        if steps.isEmpty, case .collection(let inner, _) = path.kind { return (target, inner) }
        return (target, path.kind)
    }

    /// Creates a field with a function of a property, such as `month(created)`.
    private mutating func field(
        _ label: String, _ function: FieldFunction, _ exploded: PropertyPath?
    ) throws(RealmError) -> RecordPlan.Field {
        let path = try PropertyPath(function.path, in: table, schema, option: "--fields")
        guard path.kind.element.isTaken(by: function), path.start != .key else {
            throw Self.refusal("--fields", path.text, "is not \(function.function.takenTypes)")
        }
        return RecordPlan.Field(
            label: label, path: target(path, exploded, function).0, expansion: nil,
            isMixed: false, isNumber: path.isSingle && function.function.isNumber)
    }

    /// Returns the source at which a path begins. Adds its column to the columns that the plan
    /// reads.
    private mutating func source(_ start: PropertyPath.Start) -> FieldPath.Source {
        switch start {
        case .key: return .key
        case .backlinks(let index): return .backlinks(index)
        case .column(let column):
            if let position = positions[column] { return .column(position) }
            positions[column] = columns.count
            columns.append(column)
            return .column(columns.count - 1)
        }
    }

    private func explodedPath() throws(RealmError) -> PropertyPath? {
        guard let text = request.exploded else { return nil }
        let path = try PropertyPath(text, in: table, schema, option: "--explode")
        switch path.kind {
        case .collection, .mixed: break
        default: throw Self.refusal("--explode", text, "is not a collection")
        }
        guard path.isSingle else {
            throw Self.refusal("--explode", text, "leads through another collection")
        }
        if case .backlinks = path.start {
            throw Self.refusal("--explode", text, "is not stored; explode the class it names")
        }
        return path
    }

    private func expansionPaths() throws(RealmError) -> [[String]] {
        var paths: [[String]] = []
        for text in request.expanded {
            let path = try PropertyPath(
                text, in: table, schema, option: "--expand", takesKeys: false)
            guard path.kind.leadsToObjects else {
                throw Self.refusal("--expand", text, "is not a link")
            }
            paths.append(path.names)
        }
        return paths
    }

    private static func refusal(_ option: String, _ path: String, _ why: String) -> RealmError {
        .misuse("\(option): \(path) \(why)", code: "InvalidArgument", reason: "unsuitable-property")
    }
}

extension PropertyPath {
    /// Name of the field with the dictionary key of an element, if `--explode` prints a record for
    /// each entry of the dictionary.
    var elementKeyName: String { text + ".@key" }

    /// Returns the steps after `prefix`; nil if the path does not begin with it.
    package func steps(beyond prefix: PropertyPath) -> [String]? {
        guard start == prefix.start, steps.starts(with: prefix.steps) else { return nil }
        return Array(steps.dropFirst(prefix.steps.count))
    }

    var isDictionary: Bool {
        if case .collection(_, let isDictionary) = kind { return isDictionary }
        return false
    }
}

extension PropertyPath.Kind {
    package var isNumber: Bool {
        switch self {
        case .scalar(.int), .scalar(.float), .scalar(.double), .scalar(.decimal): true
        default: false
        }
    }

    /// The kind of the elements, if this is a list or set; otherwise this kind.
    fileprivate var element: Self {
        if case .collection(let inner, isDictionary: false) = self { return inner.element }
        return self
    }

    fileprivate func isTaken(by function: FieldFunction) -> Bool {
        switch self {
        case .scalar(let type): function.takes(type)
        case .mixed: true
        case .object, .collection: false
        }
    }

    package var isMixed: Bool {
        if case .mixed = self { return true }
        return false
    }

    package var leadsToObjects: Bool {
        switch self {
        case .object, .mixed: true
        case .scalar: false
        case .collection(let inner, _): inner.leadsToObjects
        }
    }
}
