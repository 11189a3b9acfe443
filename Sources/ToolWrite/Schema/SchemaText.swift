import RealmEngine
import ToolKit

/// Parser for the text form of `realm-query --schema`.
struct SchemaText {
    /// A syntax error in a line of the schema text.
    struct Fault: Error {
        let line: Int
        let expected: String
        let got: String
    }

    private(set) var version: UInt64?
    private(set) var classes: [ClassSpec] = []
    private var names: Set<String> = []
    private var line = 0
    /// Whether the text defines a class called `binary`. In a property, `binary` then means this
    /// class instead of the type `data`.
    private let definesBinary: Bool

    init(_ text: String) throws(Fault) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        definesBinary = lines.contains { $0.hasPrefix("class binary") }
        for line in lines {
            self.line += 1
            let words = Self.trimmed(line)
            if words.isEmpty || words.hasPrefix("#") { continue }
            if line.first == " " || line.first == "\t" || words.hasPrefix("*") {
                try addProperty(words)
            } else {
                try addHead(words)
            }
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" {
            text.removeLast()
        }
        return text
    }

    private func fault(_ expected: String, _ got: Substring) -> Fault {
        Fault(line: line, expected: expected, got: "'\(DisplayWidth.printable(String(got)))'")
    }

    // MARK: Classes

    private mutating func addHead(_ words: Substring) throws(Fault) {
        if words.hasPrefix("schema version ") {
            guard let number = UInt64(words.dropFirst(15)) else {
                throw fault("a number after 'schema version'", words)
            }
            version = number
            return
        }
        guard words.hasPrefix("class ") else {
            throw fault("'class NAME', 'schema version N' or an indented property", words)
        }
        var name = Self.trimmed(words.dropFirst(6))
        var kind = TableKind.topLevel
        for (end, meant) in [(" (embedded)", TableKind.embedded), (" (asymmetric)", .asymmetric)]
        where name.hasSuffix(end) {
            name = Self.trimmed(name.dropLast(end.count))
            kind = meant
        }
        if !names.insert(String(name)).inserted { throw fault("every class once", words) }
        classes.append(
            ClassSpec(name: String(name), kind: kind, primaryKey: nil, properties: []))
    }

    // MARK: Properties

    private mutating func addProperty(_ words: Substring) throws(Fault) {
        guard !classes.isEmpty else { throw fault("'class NAME' before its properties", words) }
        var rest = words
        let isKey = rest.hasPrefix("*")
        if isKey { rest = Self.trimmed(rest.dropFirst()) }
        var index = IndexKind.none
        for (mark, kind) in [("[index]", IndexKind.general), ("[fulltext]", .fullText)]
        where rest.hasSuffix(mark) {
            rest = Self.trimmed(rest.dropLast(mark.count))
            index = kind
        }
        guard let (name, type) = Self.split(rest) else {
            throw fault("a property's name and its type", words)
        }
        var property = try self.property(String(name), type)
        property.isIndexed = index == .general
        property.isFullText = index == .fullText
        let last = classes.count - 1
        if classes[last].property(property.name) != nil {
            throw fault("every property once", words)
        }
        if isKey, classes[last].primaryKey != nil { throw fault("one primary key", words) }
        classes[last].append(property)
        if isKey { classes[last].primaryKey = property.name }
    }

    /// Splits a line of schema text into name and type. If names or types contain blanks, they are
    /// separated by at least two blanks or a tab.
    private static func split(_ text: Substring) -> (name: Substring, type: Substring)? {
        var gap: Range<Substring.Index>?
        var start = text.startIndex
        while let blank = text[start...].firstIndex(where: { $0 == " " || $0 == "\t" }) {
            let end = text[blank...].firstIndex { $0 != " " && $0 != "\t" } ?? text.endIndex
            let isWide = text[blank] == "\t" || text.index(after: blank) < end
            if gap == nil || isWide { gap = blank..<end }
            start = end
        }
        guard let gap else { return nil }
        return (text[..<gap.lowerBound], text[gap.upperBound...])
    }

    /// Parses the type of a property, such as `list<string>`.
    static func property(
        _ name: String, type: String
    ) throws(Fault) -> PropertyDescription {
        try SchemaText("").property(name, trimmed(type[...]))
    }

    private func property(
        _ name: String, _ text: Substring
    ) throws(Fault) -> PropertyDescription {
        var property = PropertyDescription(name, .mixed)
        var element = text
        if text.hasSuffix(">"), let open = text.firstIndex(of: "<"),
            let collection = CollectionKind(rawValue: String(text[..<open]))
        {
            property.collection = collection
            element = Self.trimmed(text[text.index(after: open)...].dropLast())
            if collection == .dictionary {
                for keys in ["int,", "string,"] where element.hasPrefix(keys) {
                    property.hasIntegerKeys = keys == "int,"
                    element = Self.trimmed(element.dropFirst(keys.count))
                }
            }
        }
        if element.hasSuffix("?") {
            property.isOptional = true
            element = element.dropLast()
        }
        guard !element.isEmpty, !element.contains("<") else {
            throw fault(
                "a type: \(ColumnType.names.joined(separator: ", ")), a class, or list<TYPE>, set<TYPE>, "
                    + "dictionary<TYPE>", text)
        }
        if let type = ColumnType(name: String(element)), type != .link,
            type.name == element || !definesBinary
        {
            property.type = type
            if type == .mixed { property.isOptional = true }
        } else {
            property.type = .link
            property.target = String(element)
            property.isOptional = property.collection == nil || property.collection == .dictionary
        }
        return property
    }
}
