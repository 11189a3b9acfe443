import RealmEngine
import ToolKit

/// Words and rules of a programming language that generated classes need.
struct ClassLanguage: Sendable {
    /// Imports and other text before the first class.
    let header: String
    /// For each stored type, the type of a required property. Stored types without an entry are not
    /// supported.
    let types: [ColumnType: String]
    /// Suffix of an optional type.
    var optional = "?"
    /// Collection types, in which `%` is replaced by the element type.
    let list, set, dictionary: String
    /// Keywords. They are valid as names only in quotation marks.
    var words: Set<String> = []
    var quotes = ("`", "`")
    /// Names that classes must not have, because they would hide a type that the generated code
    /// uses.
    let reservedTypes: Set<String>
    /// Names that properties must not have.
    let reservedMembers: Set<String>

    /// Returns the name; in quotation marks if it is a keyword.
    func quoted(_ name: String) -> String {
        words.contains(name) ? quotes.0 + name + quotes.1 : name
    }

    /// Returns the type of the property; nil if the language has no type for it.
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

    /// Returns the type of a single value, or of the elements of a collection; nil if the language
    /// has no type for it.
    func element(_ column: ColumnInfo, _ classes: NamedClasses) -> String? {
        if column.type == .link {
            guard let target = classes.target(column).map(classes.name) else { return nil }
            return quoted(target) + (column.mayLinkNowhere ? optional : "")
        }
        guard let name = types[column.type] else { return nil }
        return name + (column.isNullable && column.type != .mixed ? optional : "")
    }
}
