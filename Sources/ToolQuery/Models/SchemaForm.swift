import RealmEngine
import RealmRecords
import ToolKit

/// The classes that an output format of `--schema` prints.
struct SchemaSubject {
    let tables: [TableInfo]
    let snapshot: Snapshot
    /// Whether `tables` contains all classes of the file.
    let isWhole: Bool

    var schema: Schema { snapshot.schema }
}

/// An output format of `--schema` that describes classes for another program: code, a diagram or a
/// schema.
protocol SchemaForm: SendableMetatype {
    /// Appends the complete output for all classes of `subject`.
    static func append(
        _ subject: SchemaSubject, to out: inout ByteBuffer
    ) throws(RealmError)
}

/// All output formats that exist for `--schema` only.
enum SchemaForms {
    typealias Row = (format: OutputFormat, meaning: String, form: any SchemaForm.Type)

    static let all: [Row] = [
        (.init(rawValue: "swift"), "classes of the Realm SDK for Swift", SwiftClasses.self),
        (.init(rawValue: "kotlin"), "of the SDK for Kotlin", KotlinClasses.self),
        (.init(rawValue: "typescript"), "of the SDK for JavaScript", TypeScriptClasses.self),
        (.init(rawValue: "csharp"), "of the SDK for .NET", CSharpClasses.self),
        (.init(rawValue: "swiftdata"), "models of SwiftData", SwiftDataClasses.self),
        (
            .init(rawValue: "grdb"), "record types of GRDB, for the tables of `sql`",
            GRDBRecords.self
        ),
        (
            .init(rawValue: "room"), "entities of Android's Room, for the tables of `sql`",
            RoomEntities.self
        ),
        (
            .init(rawValue: "jsonschema"), "JSON Schema of the records of `ndjson`",
            JSONSchemaForm.self
        ),
        (
            .init(rawValue: "ddl"),
            "columns of the same records for Apache Spark; dates outside the years 1 to 9999 are "
                + "text",
            SparkSchema.self
        ),
        (.init(rawValue: "mermaid"), "class diagram of Mermaid", MermaidDiagram.self),
        (.init(rawValue: "dot"), "class diagram of Graphviz", DotDiagram.self),
    ]

    /// Returns the output format with this name; nil if it is not a format for schemas.
    static func form(_ format: OutputFormat) -> (any SchemaForm.Type)? {
        all.first { $0.format == format }?.form
    }
}
