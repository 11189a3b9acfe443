import RealmEngine
import ToolKit

/// Vocabulary of a programming language for generated classes.
struct ClassLanguage: Sendable {
    /// Imports and other text before the first class.
    let header: String
    /// Type of a required property, by stored type. Stored types without an entry are not
    /// supported.
    let types: [ColumnType: String]
    /// Suffix of an optional type.
    var optional = "?"
    /// Collection types, with `%` in place of the element type.
    let list, set, dictionary: String
    /// Keywords, which are valid names only in quotes.
    var words: Set<String> = []
    var quotes = ("`", "`")
    /// Names that classes may not have, because they would hide a type that the code uses.
    let reservedTypes: Set<String>
    /// Names that properties may not have.
    let reservedMembers: Set<String>

    /// Returns the name, in quotes if it is a keyword.
    func quoted(_ name: String) -> String {
        words.contains(name) ? quotes.0 + name + quotes.1 : name
    }

    /// Returns the type of the property; nil if the language has none.
    func type(_ column: ColumnInfo, _ classes: NamedClasses) -> String? {
        guard let element = element(column, classes), !column.hasIntegerKeys else { return nil }
        let template =
            switch column.collection {
            case nil: "%"
            case .list?: list
            case .set?: set
            case .dictionary?: dictionary
            }
        return template.split(separator: "%", omittingEmptySubsequences: false)
            .joined(separator: element)
    }

    /// Returns the type of the value or of a collection's elements; nil if the language has none.
    func element(_ column: ColumnInfo, _ classes: NamedClasses) -> String? {
        if column.type == .link {
            guard let target = classes.target(column).map(classes.name) else { return nil }
            return quoted(target) + (column.mayLinkNowhere ? optional : "")
        }
        guard let name = types[column.type] else { return nil }
        return name + (column.isNullable && column.type != .mixed ? optional : "")
    }
}
