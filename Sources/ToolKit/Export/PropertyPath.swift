import RealmEngine
import RealmRecords

/// A key path such as `owner.address.city` with its properties looked up in the schema. Errors are
/// thus found before any object is read.
package struct PropertyPath {
    /// Type of the values at the end of a path, or after some of its names, as far as the schema
    /// determines it.
    package enum Kind {
        case scalar(ColumnType)
        /// Values of any type. The names that follow in the path are looked up in each value.
        case mixed
        case object(TableInfo)
        indirect case collection(Kind, isDictionary: Bool)
    }

    /// First part of a path: a property, the object key, or incoming links (backlinks).
    package enum Start: Equatable {
        case column(Int)
        case key
        case backlinks(Int)
    }

    package let text: String
    package let start: Start
    /// Names in the path after its first part (`start`): property names and dictionary keys, such
    /// as `address` and `city` in `owner.address.city`.
    package let steps: [String]
    /// All property names on the path. Dictionary keys are not included.
    package let names: [String]
    package let kind: Kind
    /// Whether the path yields one value per object, because it passes through no list or set.
    let isSingle: Bool

    /// Name of the field with the object key. A property of the same name takes precedence.
    static let keyName = "_key"
    static let backlinkPrefix = "@links."

    /// - Parameters:
    ///   - option: name of the option, for errors.
    ///   - takesKeys: whether the name after a dictionary is one of its keys. Otherwise the path
    ///     continues at all of its values.
    package init(
        _ text: String, in table: TableInfo, _ schema: Schema, option: String,
        takesKeys: Bool = true
    ) throws(RealmError) {
        try Self.checkLength(text, option)
        let begin = try Self.start(text, table, schema, option)
        var (kind, rest) = (begin.kind, begin.rest)
        var steps: [String] = []
        var names = [begin.name]
        var isSingle = true
        while let remaining = rest {
            if case .collection(let inner, let isDictionary) = kind, !isDictionary || !takesKeys {
                kind = inner
                isSingle = false
                continue
            }
            let next = try Self.step(remaining, kind, schema, text, option)
            steps.append(next.name)
            if case .collection = kind {} else { names.append(next.name) }
            (kind, rest) = (next.kind, next.rest)
        }
        (self.text, start, self.kind) = (text, begin.start, kind)
        (self.steps, self.names, self.isSingle) = (steps, names, isSingle)
    }

    /// Limit of steps in a path, the same as in a query.
    private static let maximumSteps = 200

    private static func checkLength(_ text: String, _ option: String) throws(RealmError) {
        let dots = text.utf8.count(where: { $0 == UInt8(ascii: ".") })
        guard dots < maximumSteps else {
            throw .misuse(
                "\(option): a path of \(dots + 1) steps; the limit is \(maximumSteps)",
                code: "LimitExceeded", reason: "limit")
        }
    }

    /// Part of a path that was looked up in the schema: the property at the beginning of the path,
    /// or a later name. `rest` is the text after this part; nil for the last part.
    private struct Part {
        var start = Start.key
        let name: String
        let kind: Kind
        let rest: String?
    }

    private static func start(
        _ text: String, _ table: TableInfo, _ schema: Schema, _ option: String
    ) throws(RealmError) -> Part {
        if let (column, rest) = property(text, table) {
            let info = table.columns[column]
            return Part(
                start: .column(column), name: info.name, kind: Self.kind(info, schema), rest: rest)
        }
        if text == keyName { return Part(name: text, kind: .scalar(.int), rest: nil) }
        if text.hasPrefix(backlinkPrefix) {
            return try backlinks(text, table, schema, option)
        }
        throw unknown(text, table, option)
    }

    /// Returns the property at the beginning of `text`, and the rest of the text. Names may contain
    /// dots, so the longest name that matches is used.
    private static func property(
        _ text: String, _ table: TableInfo
    ) -> (column: Int, rest: String?)? {
        if let column = table.columnIndex(named: text) { return (column, nil) }
        var end = text.utf8.lastIndex(of: UInt8(ascii: "."))
        while let dot = end {
            if let column = table.columnIndex(named: String(text[..<dot])) {
                return (column, String(text[text.utf8.index(after: dot)...]))
            }
            end = text.utf8[..<dot].lastIndex(of: UInt8(ascii: "."))
        }
        return nil
    }

    private static func step(
        _ text: String, _ kind: Kind, _ schema: Schema, _ whole: String, _ option: String
    ) throws(RealmError) -> Part {
        let dot = text.utf8.firstIndex(of: UInt8(ascii: "."))
        let first = dot.map { String(text[..<$0]) } ?? text
        let rest = dot.map { String(text[text.utf8.index(after: $0)...]) }
        switch kind {
        case .object(let table):
            guard let (column, after) = property(text, table) else {
                throw unknown(first, table, option)
            }
            let info = table.columns[column]
            return Part(name: info.name, kind: Self.kind(info, schema), rest: after)
        case .collection(let inner, isDictionary: true):
            return Part(name: first, kind: inner, rest: rest)
        case .mixed: return Part(name: first, kind: .mixed, rest: rest)
        case .scalar, .collection:
            throw .misuse(
                "\(option): \(String(whole.dropLast(text.count + 1))) in \(whole) is neither a "
                    + "link nor a dictionary, so no name can follow it",
                code: "InvalidArgument", reason: "not-a-path")
        }
    }

    private static func backlinks(
        _ text: String, _ table: TableInfo, _ schema: Schema, _ option: String
    ) throws(RealmError) -> Part {
        for (index, backlink) in table.backlinks.enumerated() {
            guard let name = backlink.name(in: schema), let origin = schema.table(backlink.origin)
            else { continue }
            let kind = Kind.collection(.object(origin), isDictionary: false)
            let rest = text.dropFirst(name.count)
            guard text.hasPrefix(name), rest.isEmpty || rest.hasPrefix(".") else { continue }
            return Part(
                start: .backlinks(index), name: name, kind: kind,
                rest: rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        let names = table.backlinks.compactMap { $0.name(in: schema) }
        throw unknown(text, names, "incoming links", table, option)
    }
}

extension PropertyPath {
    package static func kind(_ column: ColumnInfo, _ schema: Schema) -> Kind {
        let inner: Kind
        switch column.type {
        case .link: inner = schema.table(column.target).map(Kind.object) ?? .mixed
        case .mixed, .typedLink: inner = .mixed
        default: inner = .scalar(column.type)
        }
        guard let collection = column.collection else { return inner }
        return .collection(inner, isDictionary: collection == .dictionary)
    }

    /// The error for a property that the class does not have, with the most similar names as a
    /// hint.
    static func unknown(_ name: String, _ table: TableInfo, _ option: String) -> RealmError {
        unknown(name, table.columns.map(\.name), "property", table, option)
    }

    private static func unknown(
        _ name: String, _ names: [String], _ what: String, _ table: TableInfo, _ option: String
    ) -> RealmError {
        let near = Spelling.nearest(3, to: name, among: names)
        return .misuse(
            "\(option): class \(table.className) has no \(what) \(name)", code: "InvalidArgument",
            reason: "unknown-property",
            hint: near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?")
    }
}

extension BacklinkInfo {
    /// Name of incoming links in key paths and output, `@links.Class.property`; nil if the schema
    /// lacks the class or property of origin.
    package func name(in schema: Schema) -> String? {
        guard let table = schema.table(origin),
            let column = table.columns.first(where: { $0.key == originColumn })
        else { return nil }
        return PropertyPath.backlinkPrefix + table.className + "." + column.name
    }
}
