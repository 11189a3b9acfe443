import RealmEngine
import ToolKit

/// Derives the classes and properties that records need and the database does not have.
///
/// Integers and other numbers make doubles; texts that are all RFC 3339 times make dates; objects
/// become embedded classes called `Parent_property`; whatever does not agree is mixed. A property
/// that some record lacks or has as null is optional. `_id` becomes the primary key of a new class
/// if every record has one.
struct SchemaInference {
    private let request: WriteRequest
    private let className: String
    /// The first class that was met comes first.
    private var classes: [ObservedClass] = []
    private var positions: [String: Int] = [:]

    init(_ request: WriteRequest, className: String) {
        self.request = request
        self.className = className
    }

    /// Looks at all records of `input`, or the first `most`. Refused ones do not count: writing
    /// them says what is wrong.
    mutating func read(_ input: RecordInput, most: Int) throws(RealmError) {
        let header: [[UInt8]]
        if case .record(let names)? = try input.readHeader() {
            header = names.map { Array($0.utf8) }
        } else {
            header = []
        }
        let classColumn = header.firstIndex(of: Array(request.classField.utf8))
        var left = most
        while left > 0 {
            if let signal = Interruption.signal { Interruption.raise(signal) }
            let event = try input.next(
                json: { (_, value) throws(RecordError) in observe(value) },
                table: { (_, row) throws(RecordError) in observe(row, header, classColumn) })
            if case .end = event { break }
            left -= 1
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
        _ row: DelimitedRow, _ header: [[UInt8]], _ classColumn: Int?
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
                    .observe(text: row.text(i), isNull: row.isNull(i))
            }
        }
    }

    private mutating func observed(_ name: String) -> ObservedClass {
        if let known = positions[name] { return classes[known] }
        let fresh = ObservedClass(name)
        positions[name] = classes.count
        classes.append(fresh)
        return fresh
    }

    /// The property that takes the value of a field; nil for none.
    private func property(_ field: String) -> String? {
        if field == request.classField || field == "_key" { return nil }
        if let renamed = request.renamed.first(where: { $0.field == field }) {
            return renamed.property
        }
        if request.constants.contains(where: { $0.property == field }) { return nil }
        if request.renamed.contains(where: { $0.property == field }) { return nil }
        return field
    }

    // MARK: Answer

    /// What is missing of `present`, the classes the database has already. Objects inside others
    /// come before those, so that links find their targets.
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
        var specs: [ClassSpec] = []
        for table in classes {
            describe(table, table.name ?? "", .topLevel, present, &specs)
        }
        return specs
    }

    private func describe(
        _ table: ObservedClass, _ name: String, _ kind: TableKind, _ present: [ClassSpec],
        _ specs: inout [ClassSpec]
    ) {
        let known = present.first { $0.name == name }
        var spec = ClassSpec(
            name: name, kind: known?.kind ?? kind, primaryKey: known?.primaryKey, properties: [])
        for property in table.properties {
            let old = known?.property(property.name)
            let isConstant =
                kind == .topLevel && request.constants.contains { $0.property == property.name }
            // Objects that are there already have no value of a new property.
            let isOptional =
                property.hasNull || known != nil
                || (property.count < table.records && !isConstant)
            let inner = property.object ?? property.element?.object
            let target = old?.target ?? inner?.name ?? "\(name)_\(property.name)"
            let described = Self.describe(property, isOptional, target)
            if let inner, (old ?? described).target == target, old == nil || old?.target != nil {
                describe(inner, target, .embedded, present, &specs)
            }
            if old == nil { spec.properties.append(described) }
        }
        if known == nil, kind == .topLevel, let key = spec.property("_id"), !key.isOptional,
            key.collection == nil, [.int, .string, .objectID, .uuid].contains(key.type)
        {
            spec.primaryKey = "_id"
        }
        merge(spec, into: &specs)
    }

    /// Objects at several places can be of one class.
    private func merge(_ spec: ClassSpec, into specs: inout [ClassSpec]) {
        guard let i = specs.firstIndex(where: { $0.name == spec.name }) else {
            return specs.append(spec)
        }
        for property in spec.properties where specs[i].property(property.name) == nil {
            var optional = property
            if optional.mayChoosePresence { optional.isOptional = true }
            specs[i].properties.append(optional)
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
