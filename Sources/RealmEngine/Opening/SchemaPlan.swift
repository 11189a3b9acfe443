/// A sequence of schema changes, which are first planned, then applied in a transaction. Callers
/// plan changes with functions such as `rename` and `drop`. Each change is checked against a
/// version of a database and against the changes planned before. `apply` makes the changes in the
/// order in which they were planned.
package struct SchemaPlan {
    package internal(set) var changes: [PlannedChange] = []
    /// Schema version of the database before and after the changes; nil if it has none.
    package let oldVersion: UInt64?
    package internal(set) var newVersion: UInt64?
    /// The classes that the database will have after all changes in `changes`.
    package internal(set) var classes: [ClassSpec]
    /// For each class name, the index that the class would have in `classes` if no class had been
    /// dropped. Dropping a class moves all later classes down without updating their entries.
    private var positions: [String: Int] = [:]
    private var droppedCount = 0
    /// Names of the classes that are targets of link properties.
    private var linkTargets: Set<String> = []
    let snapshot: Snapshot
    /// The changes of type that this plan contains, by table, then by the column of the property.
    var typeChanges: [TableKey: [ColumnKey: PlannedTypeChange]] = [:]
    /// The classes of the database by the names that they have after the changes in `changes`. A
    /// class that the plan creates is not in this dictionary.
    var stored: [String: TableInfo]
    let advice: (Disagreement) -> String?

    /// The reason why a class or property cannot be changed as wanted.
    package enum Disagreement {
        case type(className: String, property: String)
        case presence(className: String, property: String, isOptional: Bool)
        /// The target of a link is neither a type nor a class.
        case target(name: String, classes: [String])
        /// The new type of a property cannot represent some of its values.
        case misfits
    }

    /// Makes an empty plan.
    ///
    /// - Parameter advice: returns the hint for an error message; nil for no hint.
    package init(_ snapshot: Snapshot, advice: @escaping (Disagreement) -> String? = { _ in nil }) {
        self.snapshot = snapshot
        self.advice = advice
        let schema = snapshot.schema
        oldVersion = schema.version
        newVersion = schema.version
        classes = schema.classes.map { ClassSpec($0, schema) }
        stored = Dictionary(
            schema.classes.map { ($0.className, $0) }, uniquingKeysWith: { first, _ in first })
        for i in classes.indices { updateNames(i) }
    }

    package var isEmpty: Bool { changes.isEmpty }

    /// Applies all planned changes in order, in the write transaction `transaction`.
    @_optimize(size)
    package func apply(_ transaction: WriteTransaction) throws(RealmError) {
        for planned in changes { try planned.change.apply(transaction) }
        for case .setKind(let name, .embedded) in changes.map(\.change) {
            try transaction.checkNesting(try transaction.existing(name))
        }
    }

    mutating func plan(
        _ change: SchemaChange, note: String? = nil, losesData: Bool = false
    ) {
        changes.append(PlannedChange(change: change, note: note, losesData: losesData))
    }

    /// Returns the number of objects of a class; 0 for a class that is not in the database yet,
    /// because this plan creates it.
    func objects(_ name: String) throws(RealmError) -> Int {
        guard let info = stored[name] else { return 0 }
        return try snapshot.table(info).count()
    }

    /// Returns a class of the database and the index of a property; nil if the property does not
    /// exist yet, because this plan creates it.
    ///
    /// - Parameter name: name of the class after all changes planned so far.
    func storedColumn(
        _ name: String, _ property: PropertyDescription
    ) -> (info: TableInfo, column: Int)? {
        guard let info = stored[name], let key = property.storedKey,
            let column = info.columns.firstIndex(where: { $0.key == key })
        else { return nil }
        return (info, column)
    }

    static func counted(_ count: Int, _ noun: String, _ fate: String) -> String? {
        count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s") \(fate)"
    }
}

// MARK: - Names

extension SchemaPlan {
    /// Returns the index in `classes` of the class with the given name; nil if there is none.
    func index(of name: String) -> Int? {
        guard let last = positions[name] else { return nil }
        let first = max(0, last - droppedCount)
        return (first...last).first { $0 < classes.count && classes[$0].name == name }
    }

    /// Updates `positions` and `linkTargets` after the class at `index` was added to `classes`.
    private mutating func updateNames(_ index: Int) {
        let name = classes[index].name
        if positions[name] == nil { positions[name] = index + droppedCount }
        for property in classes[index].properties { addLinkTarget(of: property) }
    }

    mutating func append(_ spec: ClassSpec) {
        classes.append(spec)
        updateNames(classes.count - 1)
    }

    mutating func addLinkTarget(of property: PropertyDescription) {
        if let target = property.target { linkTargets.insert(target) }
    }

    /// A class in `SchemaPlan.classes`, or a property of such a class.
    package struct SchemaElement {
        let table: Int
        let property: Int?

        /// Whether this is a property, not a class.
        package var isProperty: Bool { property != nil }
    }

    /// Finds the class or property denoted by `CLASS` or `CLASS.PROP`. If the whole text is the
    /// name of a class, the result is that class, even if the text contains a dot.
    package func schemaElement(_ text: String) throws(RealmError) -> SchemaElement {
        if let table = index(of: text) {
            return SchemaElement(table: table, property: nil)
        }
        guard let dot = text.firstIndex(of: "."), dot != text.startIndex else {
            return SchemaElement(table: try position(text), property: nil)
        }
        let table = try position(String(text[..<dot]))
        let property = try position(String(text[text.index(after: dot)...]), in: table)
        return SchemaElement(table: table, property: property)
    }

    func position(_ name: String) throws(RealmError) -> Int {
        if let found = index(of: name) { return found }
        throw .misuse(
            "there is no class \(name)", code: "NoSuchTable", reason: "unknown-class",
            hint: Self.nearest(name, classes.map(\.name)))
    }

    /// Returns the index of a property in its class; throws if there is none.
    func position(_ property: String, in table: Int) throws(RealmError) -> Int {
        if let found = classes[table].position(of: property) { return found }
        let known = classes[table].properties.map(\.name)
        // Swift compares strings by Unicode equivalence. The name in the file and the argument may
        // have different bytes although they look the same.
        if let found = known.firstIndex(of: property) { return found }
        throw .misuse(
            "class \(classes[table].name) has no property \(property)", code: "InvalidProperty",
            reason: "unknown-property", hint: Self.nearest(property, known))
    }

    private static func nearest(_ name: String, _ known: [String]) -> String? {
        let near = NearestNames.to(name, among: known)
        return near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?"
    }
}

// MARK: - Renames and drops

extension SchemaPlan {
    /// Renames a class or a property. The new name of a property may be preceded by the name of its
    /// class and a dot.
    package mutating func rename(_ schemaElement: SchemaElement, to new: String) throws(RealmError)
    {
        let (table, property) = (schemaElement.table, schemaElement.property)
        let name = classes[table].name
        guard let property else {
            guard index(of: new) == nil else { throw taken("class \(new)") }
            plan(
                .renameClass(name, to: new),
                note: Self.counted(try objects(name), "object", "kept"))
            positions[new] = positions.removeValue(forKey: name)
            classes[table].name = new
            stored[new] = stored.removeValue(forKey: name)
            if linkTargets.contains(name) { retarget(from: name, to: new) }
            return
        }
        let prefix = name + "."
        let bare = new.hasPrefix(prefix) ? String(new.dropFirst(prefix.count)) : new
        guard classes[table].property(bare) == nil else { throw taken("property \(name).\(bare)") }
        let before = classes[table].properties[property].name
        plan(
            .renameProperty(name, before, to: bare),
            note: Self.counted(try objects(name), "value", "kept"))
        classes[table].rename(property, to: bare)
        if classes[table].primaryKey == before { classes[table].primaryKey = bare }
    }

    private mutating func retarget(from name: String, to new: String) {
        for i in classes.indices {
            for j in classes[i].properties.indices where classes[i].properties[j].target == name {
                classes[i].properties[j].target = new
            }
        }
        linkTargets.insert(new)
    }

    private func taken(_ what: String) -> RealmError {
        .misuse("\(what) exists already", code: "SchemaMismatch", reason: "exists")
    }

    /// Drops a class with its objects, or a property with its values.
    package mutating func drop(_ schemaElement: SchemaElement) throws(RealmError) {
        let (table, property) = (schemaElement.table, schemaElement.property)
        let name = classes[table].name
        let count = try objects(name)
        guard let property else {
            plan(
                .dropClass(name), note: Self.counted(count, "object", "lost"),
                losesData: count > 0)
            classes.remove(at: table)
            positions[name] = nil
            droppedCount += 1
            return
        }
        let dropped = classes[table].properties.remove(at: property).name
        if classes[table].primaryKey == dropped { classes[table].primaryKey = nil }
        plan(
            .dropProperty(name, dropped), note: Self.counted(count, "value", "lost"),
            losesData: count > 0)
    }
}
