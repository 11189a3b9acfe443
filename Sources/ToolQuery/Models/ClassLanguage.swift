import RealmEngine
import ToolKit

/// Vocabulary of a programming language, as the writers of its classes use it.
struct ClassLanguage: Sendable {
    /// Imports, before the first class.
    let header: String
    /// Type of a required property, by stored type. A stored type without an entry has no counterpart.
    let types: [ColumnType: String]
    /// Follows the type of a value that may be null.
    var optional = "?"
    /// Collection types, with `%` in place of the element type.
    let list, set, dictionary: String
    /// Words that are no names, unless they are in quotes.
    var words: Set<String> = []
    var quotes = ("`", "`")
    /// Names that no class may have: it would hide a type that the text uses.
    let reservedTypes: Set<String>
    /// Names that no property may have.
    let reservedMembers: Set<String>

    /// The name, in the quotes that words of the language need.
    func quoted(_ name: String) -> String {
        words.contains(name) ? quotes.0 + name + quotes.1 : name
    }

    /// Type of the property; nil if the language has none.
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

    /// Type of the value, or of a collection's elements.
    func element(_ column: ColumnInfo, _ classes: NamedClasses) -> String? {
        if column.type == .link {
            guard let target = classes.target(column).map(classes.name) else { return nil }
            return quoted(target) + (column.mayLinkNowhere ? optional : "")
        }
        guard let name = types[column.type] else { return nil }
        return name + (column.isNullable && column.type != .mixed ? optional : "")
    }
}
