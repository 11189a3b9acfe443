import RealmEngine
import RealmRecords
import ToolKit

/// A writer of the classes of a schema in a programming language. A name that is invalid in the
/// language is replaced, and an attribute contains the stored name.
protocol ClassWriter: SchemaForm {
    static var language: ClassLanguage { get }

    static func text(_ table: TableInfo, _ classes: NamedClasses) -> String
}

extension ClassWriter {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        let classes = NamedClasses(subject.schema, reserved: language.reservedTypes)
        out.append(language.header)
        for table in subject.tables { out.append("\n" + text(table, classes)) }
    }
}

extension SwiftClasses: ClassWriter {}
