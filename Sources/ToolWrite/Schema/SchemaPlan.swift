import RealmEngine
import ToolKit

/// What schema options change, checked against one version of the database, in the order it is
/// done: renames, drops, optional and required, additions, indexes, the version.
struct SchemaPlan {
    private(set) var changes: [PlannedChange] = []
    let oldVersion: UInt64?
    private(set) var newVersion: UInt64?
    /// The classes as they are after the changes planned so far.
    private(set) var classes: [ClassSpec]
    /// What `--infer` found missing.
    private(set) var inferred: [ClassSpec] = []
    private let snapshot: Snapshot
    /// The database's class behind a class that may have another name by now.
    private var stored: [String: TableInfo]

    /// What the command asks for; nothing planned if it asks for nothing.
    /// - Parameter inference: what was seen of the records, with `--infer`.
    init(
        _ request: WriteRequest, _ file: SchemaFile?, _ inference: SchemaInference? = nil,
        _ snapshot: Snapshot
    ) throws(RealmError) {
        self.snapshot = snapshot
        let schema = snapshot.schema
        oldVersion = schema.version
        newVersion = schema.version
        classes = schema.classes.map { ClassSpec($0, schema) }
        stored = Dictionary(
            schema.classes.map { ($0.className, $0) }, uniquingKeysWith: { first, _ in first })
        let command = request.command
        for (old, new) in command[WriteOption.rename] { try rename(old, new) }
        for text in command[WriteOption.drop] { try drop(text) }
        for text in command[WriteOption.optional] { try setOptional(text, true) }
        for text in command[WriteOption.required] { try setOptional(text, false) }
        if let file { try add(file.classes) }
        if var inference {
            inferred = try inference.missing(from: classes)
            try add(inferred)
        }
        for text in command[WriteOption.index] { try setIndex(text, isWanted: true) }
        for text in command[WriteOption.unindex] { try setIndex(text, isWanted: false) }
        let version = command[WriteOption.schemaVersion].map { UInt64($0) } ?? file?.version
        try setVersion(version, isAsked: command.isGiven(WriteOption.schemaVersion))
    }

    var isEmpty: Bool { changes.isEmpty }

    /// Throws `misuse` for a plan that loses data.
    func checkLoss(isAllowed: Bool) throws(RealmError) {
        guard !isAllowed, let loss = changes.first(where: { $0.losesData }) else { return }
        let note = loss.note.map { " (\($0))" } ?? ""
        throw .misuse(
            "\(loss.action) \(loss.subject)\(note) loses data", code: "IllegalOperation",
            reason: "data-loss", hint: "--force does it; -n shows the whole plan")
    }

    func apply(_ transaction: WriteTransaction) throws(RealmError) {
        for planned in changes { try planned.change.apply(transaction) }
    }

    private mutating func plan(
        _ change: SchemaChange, note: String? = nil, losesData: Bool = false
    ) {
        changes.append(PlannedChange(change: change, note: note, losesData: losesData))
    }
}

// MARK: - Names

extension SchemaPlan {
    private func position(_ name: String) throws(RealmError) -> Int {
        if let found = classes.firstIndex(where: { $0.name == name }) { return found }
        let near = Spelling.nearest(3, to: name, among: classes.map(\.name))
        throw .misuse(
            "there is no class \(name)", code: "NoSuchTable", reason: "unknown-class",
            hint: near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?")
    }

    /// Position of a property in its class.
    private func position(_ property: String, in table: Int) throws(RealmError) -> Int {
        let known = classes[table].properties.map(\.name)
        if let found = known.firstIndex(of: property) { return found }
        let near = Spelling.nearest(3, to: property, among: known)
        throw .misuse(
            "class \(classes[table].name) has no property \(property)", code: "InvalidProperty",
            reason: "unknown-property",
            hint: near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?")
    }

    /// `CLASS` or `CLASS.PROP`; a class whose name holds a dot wins.
    private func resolve(_ text: String) throws(RealmError) -> (table: Int, property: Int?) {
        if let table = classes.firstIndex(where: { $0.name == text }) { return (table, nil) }
        guard let dot = text.firstIndex(of: "."), dot != text.startIndex else {
            return (try position(text), nil)
        }
        let table = try position(String(text[..<dot]))
        return (table, try position(String(text[text.index(after: dot)...]), in: table))
    }

    private func property(
        _ text: String, _ option: String
    ) throws(RealmError) -> (table: Int, property: Int) {
        let (table, property) = try resolve(text)
        guard let property else {
            throw WriteRequest.usage("\(option): '\(text)' is not of the form CLASS.PROP")
        }
        return (table, property)
    }

    /// Objects of a class the database has; 0 for a new one.
    private func objects(_ name: String) throws(RealmError) -> Int {
        guard let info = stored[name] else { return 0 }
        return try snapshot.table(info).count()
    }

    private static func counted(_ count: Int, _ noun: String, _ fate: String) -> String? {
        count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s") \(fate)"
    }
}

// MARK: - Renames and drops

extension SchemaPlan {
    private mutating func rename(_ old: String, _ new: String) throws(RealmError) {
        let (table, property) = try resolve(old)
        let name = classes[table].name
        guard let property else {
            guard !classes.contains(where: { $0.name == new }) else {
                throw taken("class \(new)")
            }
            plan(
                .renameClass(name, to: new),
                note: Self.counted(try objects(name), "object", "kept"))
            classes[table].name = new
            stored[new] = stored.removeValue(forKey: name)
            for i in classes.indices {
                for j in classes[i].properties.indices
                where classes[i].properties[j].target == name {
                    classes[i].properties[j].target = new
                }
            }
            return
        }
        let prefix = name + "."
        let bare = new.hasPrefix(prefix) ? String(new.dropFirst(prefix.count)) : new
        guard classes[table].property(bare) == nil else { throw taken("property \(name).\(bare)") }
        let before = classes[table].properties[property].name
        plan(
            .renameProperty(name, before, to: bare),
            note: Self.counted(try objects(name), "value", "kept"))
        classes[table].properties[property].name = bare
        if classes[table].primaryKey == before { classes[table].primaryKey = bare }
    }

    private func taken(_ what: String) -> RealmError {
        .misuse("\(what) exists already", code: "SchemaMismatch", reason: "exists")
    }

    private mutating func drop(_ text: String) throws(RealmError) {
        let (table, property) = try resolve(text)
        let name = classes[table].name
        let count = try objects(name)
        guard let property else {
            plan(
                .dropClass(name), note: Self.counted(count, "object", "lost"),
                losesData: count > 0)
            classes.remove(at: table)
            return
        }
        let dropped = classes[table].properties.remove(at: property).name
        if classes[table].primaryKey == dropped { classes[table].primaryKey = nil }
        plan(
            .dropProperty(name, dropped), note: Self.counted(count, "value", "lost"),
            losesData: count > 0)
    }
}

// MARK: - Properties

extension SchemaPlan {
    private mutating func setOptional(_ text: String, _ isOptional: Bool) throws(RealmError) {
        let (table, place) = try property(text, isOptional ? "--optional" : "--required")
        let property = classes[table].properties[place]
        let name = classes[table].name
        guard property.mayChoosePresence else {
            throw .misuse(
                "\(name).\(property.name) is \(property.typeText), which cannot be chosen to be "
                    + "optional or required", code: "SchemaMismatch", reason: "schema")
        }
        if property.isOptional == isOptional { return }
        let nulls = isOptional ? 0 : try self.nulls(name, property.name)
        plan(
            .setOptional(name, property.name, isOptional),
            note: Self.counted(nulls, "null", "lost"), losesData: nulls > 0)
        classes[table].properties[place].isOptional = isOptional
    }

    /// Objects that hold null, in the property itself or in its collection.
    private func nulls(_ name: String, _ property: String) throws(RealmError) -> Int {
        guard let info = stored[name], let column = info.columnIndex(named: property) else {
            return 0
        }
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

    private mutating func setIndex(_ text: String, isWanted: Bool) throws(RealmError) {
        let (table, place) = try property(text, isWanted ? "--index" : "--unindex")
        let property = classes[table].properties[place]
        let name = classes[table].name
        guard classes[table].primaryKey != property.name else {
            if isWanted { return }
            throw .misuse(
                "\(name).\(property.name) is the primary key, which keeps its index",
                code: "SchemaMismatch", reason: "schema")
        }
        if isWanted == (property.isIndexed || property.isFullText) { return }
        plan(.setIndex(name, property.name, isWanted ? .general : .none))
        classes[table].properties[place].isIndexed = isWanted
        classes[table].properties[place].isFullText = false
    }

    private mutating func setVersion(
        _ version: UInt64?, isAsked: Bool
    ) throws(RealmError) {
        guard let version, version != newVersion else { return }
        let isLower = newVersion.map { version < $0 } ?? false
        // A schema file older than the database says nothing about where to go.
        if isLower, !isAsked { return }
        plan(
            .setVersion(version), note: isLower ? "lower than \(newVersion!)" : nil,
            losesData: isLower)
        newVersion = version
    }
}

// MARK: - Additions

extension SchemaPlan {
    /// Plans what is missing. New classes come first, so that links find their targets.
    mutating func add(_ wanted: [ClassSpec]) throws(RealmError) {
        for spec in wanted {
            if let table = classes.firstIndex(where: { $0.name == spec.name }) {
                try checkAgreement(classes[table], spec)
                continue
            }
            let count = spec.properties.count
            plan(.addClass(spec), note: "\(count) \(count == 1 ? "property" : "properties")")
            var bare = spec
            bare.properties = spec.primaryKey.flatMap { spec.property($0) }.map { [$0] } ?? []
            classes.append(bare)
        }
        for spec in wanted {
            let table = try position(spec.name)
            for property in spec.properties { try add(property, to: table) }
        }
    }

    private mutating func add(
        _ property: PropertyDescription, to table: Int
    ) throws(RealmError) {
        let name = classes[table].name
        if let target = property.target { _ = try position(target) }
        guard let place = classes[table].properties.firstIndex(where: { $0.name == property.name })
        else {
            plan(.addProperty(name, property))
            classes[table].properties.append(property)
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
        guard present.kind == wanted.kind, present.primaryKey == wanted.primaryKey else {
            throw .misuse(
                "class \(wanted.name) differs: its kind or primary key cannot change",
                code: "SchemaMismatch", reason: "schema")
        }
    }

    private func checkAgreement(
        _ table: String, _ present: PropertyDescription, _ wanted: PropertyDescription
    ) throws(RealmError) {
        let hint: String?
        if !present.hasSameType(as: wanted) {
            hint = "--drop \(table).\(wanted.name) removes the old one with its values"
        } else if present.isOptional != wanted.isOptional, wanted.mayChoosePresence {
            hint = (wanted.isOptional ? "--optional" : "--required") + " \(table).\(wanted.name)"
        } else {
            return
        }
        throw .misuse(
            "\(table).\(wanted.name) is \(present.typeText), not \(wanted.typeText)",
            code: "SchemaMismatch", reason: "schema", hint: hint)
    }
}
