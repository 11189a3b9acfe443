import RealmEngine

/// Words and notations of a programming language, for generating declarations of classes.
package struct ClassLanguage: Sendable {
    /// Imports and other text before the first class.
    package let header: String
    /// Type of a required property in this language, by the property's type in the database. Types
    /// of the database without an entry are not supported.
    package let types: [ColumnType: String]
    /// Suffix of an optional type.
    package var optional = "?"
    /// Collection types, with `%` in place of the element type.
    package let list, set, dictionary: String
    /// Keywords, which are valid names only in quotes.
    package var words: Set<String> = []
    package var quotes = ("`", "`")
    /// Names that classes may not have, because they would hide a type that the code uses.
    package let reservedTypes: Set<String>
    /// Names that properties may not have.
    package let reservedMembers: Set<String>

    package init(
        header: String, types: [ColumnType: String], optional: String = "?", list: String,
        set: String, dictionary: String, words: Set<String> = [],
        quotes: (String, String) = ("`", "`"), reservedTypes: Set<String>,
        reservedMembers: Set<String>
    ) {
        self.header = header
        self.types = types
        self.optional = optional
        (self.list, self.set, self.dictionary) = (list, set, dictionary)
        self.words = words
        self.quotes = quotes
        self.reservedTypes = reservedTypes
        self.reservedMembers = reservedMembers
    }

    /// Returns the name, in the quotes of the language (such as backticks) if it is a keyword.
    package func quoted(_ name: String) -> String {
        words.contains(name) ? quotes.0 + name + quotes.1 : name
    }

    /// Returns the type of the property in the language; nil if the language has no type for it.
    package func type(_ column: ColumnInfo, _ classes: NamedClasses) -> String? {
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

    /// Returns the type of the property's value, or of its elements if it is a collection; nil if
    /// the language has no type for it.
    package func element(_ column: ColumnInfo, _ classes: NamedClasses) -> String? {
        if column.type == .link {
            guard let target = classes.target(column).map(classes.name) else { return nil }
            return quoted(target) + (column.mayLinkNowhere ? optional : "")
        }
        guard let name = types[column.type] else { return nil }
        return name + (column.isNullable && column.type != .mixed ? optional : "")
    }
}
