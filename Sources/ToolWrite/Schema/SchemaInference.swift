import RealmEngine
import RealmRecords
import ToolKit

/// Infers the classes and properties that records need but the database does not have.
///
/// Numbers get the first of the types int, double, decimal128 and string that represents all of
/// them exactly. Texts become dates if all are RFC 3339 times. Objects become embedded classes
/// called `Parent_property`. Values of different types become a mixed property. A property is
/// optional if a record lacks it or has null. The primary key of a new class is the argument of
/// `--key`; without it, a property whose name and values are typical of keys.
struct SchemaInference {
    private let request: WriteRequest
    private let className: String
    /// Classes in the order in which their first records occur.
    private var classes: [ObservedClass] = []
    private var positions: [String: Int] = [:]
    /// Numbers that serve as names of columns without a name.
    private var unnamed: Set<String> = []
    /// Whether at least one record was valid. `hasRefusals` is true if at least one was rejected.
    private var hasRecords = false
    private var hasRefusals = false
    /// Explanations of unusual inferred types, one sentence each.
    private(set) var notes: [String] = []

    init(_ request: WriteRequest, className: String) {
        self.request = request
        self.className = className
    }

    /// Reads the records of `input` to infer their classes; at most the first `most` records.
    /// Rejected records are ignored, because their error is reported when they are written.
    mutating func read(_ input: RecordInput, most: Int) throws(RealmError) {
        let header: [[UInt8]]
        if case .record(let names)? = try input.readHeader() {
            // A column without a name does not become a property.
            unnamed = Set(FieldNames.unnamed(names))
            header = FieldNames.named(names).map { Array($0.utf8) }
        } else {
            header = []
        }
        let classColumn = header.firstIndex(of: Array(request.classField.utf8))
        // Even a table without rows has the columns of its header.
        if className != "-" { declare(header) }
        var progress = ProgressReporter(
            request.command, file: request.path, total: input.size, unit: .bytes)
        defer { progress.finish() }
        var left = most
        while left > 0 {
            if left & 255 == 0 { progress.update(input.bytesRead) }
            if let signal = Interruption.signal { Interruption.raise(signal) }
            let event = try input.next(
                json: { (_, value) throws(RecordError) in observe(value) },
                table: { (reader, row) throws(RecordError) in
                    observe(reader, row, header, classColumn)
                })
            switch event {
            case .end: return
            case .rejected: hasRefusals = true
            case .record: hasRecords = true
            }
            left -= 1
        }
    }

    private mutating func declare(_ header: [[UInt8]]) {
        if header.isEmpty { return }
        let table = observed(className)
        for name in header {
            name.withUnsafeBytes { bytes in
                let name = ByteView(bytes.baseAddress!, count: bytes.count)
                _ = table.property(name) { property($0) }
            }
        }
    }

    private mutating func observe(_ value: JSONValue) {
        var name = className
        if name == "-" {
            guard let field = field(request.classField, of: value), field.kind == .string else {
                return
            }
            name = field.text.string
        }
        observed(name).observe(value) { property($0) }
    }

    private func field(_ name: String, of value: JSONValue) -> JSONValue? {
        guard value.kind == .object else { return nil }
        let bytes = Array(name.utf8)
        return value.children.first { $0.key.equals(bytes) }
    }

    private mutating func observe(
        _ reader: DelimitedReader, _ row: DelimitedRow, _ header: [[UInt8]], _ classColumn: Int?
    ) {
        var name = className
        if name == "-" {
            guard let classColumn else { return }
            name = row.text(classColumn).string
        }
        let table = observed(name)
        table.beginRow()
        for i in 0..<min(row.count, header.count) {
            header[i].withUnsafeBytes { bytes in
                let name = ByteView(bytes.baseAddress!, count: bytes.count)
                table.property(name) { property($0) }?
                    .observe(text: reader.numeral(row.text(i)), isNull: row.isNull(i))
            }
        }
    }

    private mutating func observed(_ name: String) -> ObservedClass {
        if let known = positions[name] { return classes[known] }
        // A hash takes about 32 bytes in a set; twice as many while the set grows.
        let fresh = ObservedClass(name, maximumKeyCount: request.memoryLimit / 64)
        positions[name] = classes.count
        classes.append(fresh)
        return fresh
    }

    /// Returns the name of the property that stores a field; nil if the field is not stored.
    private func property(_ field: String) -> String? {
        let names = [request.classField, "_key", StudioReference.identity, StudioReference.member]
        if names.contains(field) { return nil }
        if let renamed = request.renamed.first(where: { $0.field == field }) {
            return renamed.property
        }
        if unnamed.contains(field) { return nil }
        if request.constants.contains(where: { $0.property == field }) { return nil }
        if request.renamed.contains(where: { $0.property == field }) { return nil }
        return field
    }

    // MARK: Inferred classes

    /// Returns the classes and properties that are not in `present`, the existing classes. Embedded
    /// classes precede the classes that contain them, so that links find their target classes.
    mutating func missing(from present: [ClassSpec]) throws(RealmError) -> [ClassSpec] {
        if className != "-" {
            let table = observed(className)
            let tape = JSONTape()
            for constant in request.constants {
                let value = try JSONArgument.parse(
                    constant.json, "--const \(constant.property)", tape)
                let key = Array(constant.property.utf8)
                key.withUnsafeBytes { bytes in
                    let name = ByteView(bytes.baseAddress!, count: bytes.count)
                    table.property(name) { $0 }?.observe(value)
                }
            }
        }
        var found = InferredClasses(present)
        for table in classes { describe(table, table.name ?? "", .topLevel, &found) }
        let specs = found.specs
        // All records were rejected. The load then fails with the error of the first record, which
        // is more informative.
        if hasOnlyRefusals { return specs }
        try checkKey(specs)
        try checkLinks(specs, present)
        return specs
    }

    private var hasOnlyRefusals: Bool { hasRefusals && !hasRecords }

    /// Names of the properties whose numbers are stored as strings, because no numeric type
    /// represents all of them.
    var numbersAsText: Set<String> {
        var names: Set<String> = []
        // In CSV and TSV, all values are text anyway.
        if isTable { return names }
        for table in classes { table.addNumbersAsText(to: &names) }
        return names
    }

    private mutating func describe(
        _ table: ObservedClass, _ name: String, _ kind: TableKind,
        _ found: inout InferredClasses
    ) {
        let known = found.present(name)
        var spec = ClassSpec(
            name: name, kind: known?.kind ?? kind, primaryKey: known?.primaryKey, properties: [])
        for property in table.properties {
            let old = known?.property(property.name)
            let isConstant =
                kind == .topLevel && request.constants.contains { $0.property == property.name }
            // A new property of an existing class is optional, because existing objects have no
            // value for it.
            let isOptional =
                property.hasNull || known != nil
                || (property.count < table.records && !isConstant)
            let inner = property.object ?? property.element?.object
            let target = old?.target ?? inner?.name ?? "\(name)_\(property.name)"
            let described = described(property, isOptional, target, kind)
            if let inner, (old ?? described).target == target, old == nil || old?.target != nil {
                describe(inner, target, .embedded, &found)
            }
            if old == nil {
                spec.append(described)
                note(property, described, name)
            }
        }
        if known == nil, kind == .topLevel { spec.primaryKey = primaryKey(table, spec) }
        found.merge(spec)
    }

    /// Adds an explanation to `notes` if the numbers of a property led to an unusual type.
    private mutating func note(
        _ property: ObservedProperty, _ described: PropertyDescription, _ name: String
    ) {
        let numbers = (property.element ?? property).numbers
        let subject = "\(name).\(property.name) is \(described.typeText)"
        if described.type == .mixed {
            if let number = numbers.roundedInMixed {
                notes.append("\(subject), which rounds \(number)")
            }
        } else if !numbers.isEmpty, described.type == numbers.type,
            let (number, usual) = numbers.widening
        {
            let unfit =
                described.type == .string
                ? "no type of number holds" : "\(usual.name) does not hold"
            notes.append("\(subject): \(unfit) \(number) exactly")
        }
    }

    /// Describes the property as it is created, with options such as `--link` applied.
    private func described(
        _ property: ObservedProperty, _ isOptional: Bool, _ target: String, _ kind: TableKind
    ) -> PropertyDescription {
        var result = Self.describe(property, isOptional, target)
        guard kind != .embedded else { return result }
        if let target = links.first(where: { $0.name == property.name })?.value {
            result.type = .link
            result.target = target
            result.isOptional = result.collection == nil || result.collection == .dictionary
        } else if request.command[WriteOption.csvBooleans], property.isTruth,
            case .scalar? = property.shape, isTable
        {
            result.type = .bool
        }
        return result
    }

    private var isTable: Bool { request.format == .csv || request.format == .tsv }
    private var links: [(name: String, value: String)] { request.command[WriteOption.link] }

    /// Chooses the primary key: the argument of `--key`, or else `_id`, or else a property with a
    /// typical name and unique values.
    private func primaryKey(_ table: ObservedClass, _ spec: ClassSpec) -> String? {
        if hasOnlyRefusals { return nil }
        if let key = request.command[WriteOption.key] { return spec.property(key)?.name }
        if let key = spec.property("_id"), Self.mayBeKey(key) { return "_id" }
        for name in table.keyNames {
            for property in table.properties
            where property.name.lowercased() == name && property.isUnique {
                if let key = spec.property(property.name), Self.mayBeKey(key) { return key.name }
            }
        }
        return nil
    }

    private static func mayBeKey(_ property: PropertyDescription) -> Bool {
        !property.isOptional && property.collection == nil && property.type.mayBePrimaryKey
    }

    private func checkKey(_ specs: [ClassSpec]) throws(RealmError) {
        guard let name = request.command[WriteOption.key] else { return }
        guard let spec = specs.first(where: { $0.property(name) != nil }),
            let key = spec.property(name)
        else {
            throw WriteRequest.usage(
                "--key: no new class has a property \(name)",
                hint: "the primary key of a class that exists cannot change")
        }
        if Self.mayBeKey(key) { return }
        throw WriteRequest.usage(
            "--key: \(spec.name).\(name) is \(key.typeText), which cannot be a primary key",
            hint: key.isOptional && key.collection == nil
                ? "a record has none"
                : "a primary key is int, string, objectId or uuid")
    }

    private func checkLinks(
        _ specs: [ClassSpec], _ present: [ClassSpec]
    ) throws(RealmError) {
        for (column, target) in links {
            guard specs.contains(where: { $0.property(column) != nil }) else {
                throw WriteRequest.usage("--link: the records need no new property \(column)")
            }
            let all = specs + present
            guard let spec = all.first(where: { $0.name == target }) else {
                throw WriteRequest.usage(
                    "--link: there is no class \(target)", hint: "load its objects first")
            }
            guard (present.first { $0.name == target } ?? spec).primaryKey != nil else {
                throw WriteRequest.usage(
                    "--link: class \(target) has no primary key to identify its objects",
                    hint: "--key adds one when the class is created")
            }
        }
    }

    private static func describe(
        _ property: ObservedProperty, _ isOptional: Bool, _ target: String
    ) -> PropertyDescription {
        var result = PropertyDescription(property.name, .mixed, isOptional: true)
        switch property.shape {
        case nil, .mixed: return result
        case .scalar(let type):
            return PropertyDescription(property.name, type, isOptional: isOptional)
        case .link(let table):
            return PropertyDescription(property.name, .link, isOptional: true, target: table)
        case .object:
            return PropertyDescription(property.name, .link, isOptional: true, target: target)
        case .list: result.collection = .list
        case .set: result.collection = .set
        case .dictionary: result.collection = .dictionary
        }
        guard let element = property.element else { return result }
        switch element.shape {
        case .scalar(let type):
            result.type = type
            result.isOptional = element.hasNull
        case .link(let table) where !element.hasNull || result.collection == .dictionary:
            result.type = .link
            result.target = table
            result.isOptional = result.collection == .dictionary
        case .object
        where result.collection == .dictionary || (result.collection == .list && !element.hasNull):
            result.type = .link
            result.target = target
            result.isOptional = result.collection == .dictionary
        default: break
        }
        return result
    }
}
