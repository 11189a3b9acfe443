import RealmEngine
import RealmRecords
import ToolKit

/// A writer of classes in Kotlin or C#. There, the attributes of a property are on separate lines
/// before it.
protocol AttributedClasses: ClassWriter {
    /// Attributes of a property, without indentation.
    static var primaryKey: String { get }
    static var index: String { get }
    static var fullTextIndex: String { get }
    /// Returns the attribute that contains the stored name of a property or class.
    static func rename(_ stored: String) -> String

    static func opening(_ name: String, _ kind: TableKind) -> String
    static func property(_ name: String, _ type: String, _ column: ColumnInfo) -> String
    /// Text between two properties.
    static var separator: String { get }
    /// Names that properties of a class called `className` may not have.
    static func reservedMembers(_ className: String) -> Set<String>
}

extension AttributedClasses {
    static func text(_ table: TableInfo, _ classes: NamedClasses) -> String {
        let name = classes.name(table)
        if table.columns.isEmpty { return ModelNames.withoutProperties(name) }
        var text = name == table.className ? "" : rename(table.className) + "\n"
        text += opening(language.quoted(name), table.kind)
        var taken = ModelNames(reserved: reservedMembers(name))
        let members = table.columns.enumerated().map { index, column in
            lines(
                column, taken.name(for: column.name), isKey: index == table.primaryKey, classes)
        }
        return text + members.joined(separator: separator) + "}\n"
    }

    private static func lines(
        _ column: ColumnInfo, _ name: String, isKey: Bool, _ classes: NamedClasses
    ) -> String {
        guard let type = language.type(column, classes) else {
            return "    \(ModelNames.untyped(column))\n"
        }
        var lines: [String] = []
        if isKey {
            lines.append(primaryKey)
        } else if column.collection == nil {
            if column.index == .general { lines.append(index) }
            if column.index == .fullText { lines.append(fullTextIndex) }
        }
        if name != column.name { lines.append(rename(column.name)) }
        lines.append(property(language.quoted(name), type, column))
        return lines.map { "    \($0)\n" }.joined()
    }
}
