import RealmEngine
import ToolKit

/// Classes that a form of `--schema` describes.
struct SchemaSubject {
    let tables: [TableInfo]
    let snapshot: Snapshot
    /// Whether they are all classes of the file.
    let isWhole: Bool

    var schema: Schema { snapshot.schema }
}

/// Form of `--schema` that describes classes to another program: a language, a diagram, a schema.
protocol SchemaForm: SendableMetatype {
    /// Appends the whole text.
    static func append(
        _ subject: SchemaSubject, to out: inout ByteBuffer
    ) throws(RealmError)
}

extension OutputFormat {
    private typealias SchemaFormRow = (
        format: OutputFormat, form: any SchemaForm.Type, meaning: String
    )

    /// The forms of `--schema` alone, with their meaning for the manual.
    private static let schemaFormRows: [SchemaFormRow] = [
        (.swift, SwiftClasses.self, "classes of the Realm SDK for Swift"),
        (.kotlin, KotlinClasses.self, "of the SDK for Kotlin"),
        (.typescript, TypeScriptClasses.self, "of the SDK for JavaScript"),
        (.csharp, CSharpClasses.self, "of the SDK for .NET"),
        (.swiftdata, SwiftDataClasses.self, "models of SwiftData"),
        (.grdb, GRDBRecords.self, "record types of GRDB, for what `sql` loads"),
        (.room, RoomEntities.self, "entities of Android's Room, for what `sql` loads"),
        (.jsonschema, JSONSchemaForm.self, "JSON Schema of the records of `ndjson`"),
        (.ddl, SparkSchema.self, "columns of Apache Spark for them"),
        (.mermaid, MermaidDiagram.self, "class diagram of Mermaid"),
        (.dot, DotDiagram.self, "class diagram of Graphviz"),
    ]

    static var schemaForms: [OutputFormat] { schemaFormRows.map(\.format) }

    /// Each form and its meaning, for the manual.
    static var schemaFormMeanings: [(String, String)] {
        schemaFormRows.map { ($0.format.rawValue, $0.meaning) }
    }

    /// Writer of the form; nil for forms of records.
    var schemaForm: (any SchemaForm.Type)? {
        Self.schemaFormRows.first { $0.format == self }?.form
    }
}
