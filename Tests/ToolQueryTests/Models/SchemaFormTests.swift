import Testing

@testable import ToolQuery
@testable import ToolSupport

/// Forms of `--schema` for programs other than the Realm SDKs.
struct SchemaFormTests {
    private static func pet(_ format: String) -> [String] {
        QueryRun.lines("-S", "-f", format, of: "Pet")
    }

    private static func whole(_ format: String, _ fixture: String = "social") -> String {
        QueryRun.text(["-S", "-f", format, QueryRun.fixture("query/\(fixture).realm")])
    }

    @Test func swiftDataModelsHaveAnInitializer() {
        #expect(
            Self.pet("swiftdata") == [
                "import Foundation", "import SwiftData", "", "@Model", "final class Pet {",
                "    @Attribute(.unique) var tag: String", "    var name: String?",
                "    var kind: String", "    var weight: Float?",
                "    @Relationship var vet: Company?", "    var nick: [String]",
                "    var seen: Date?", "", "    init(", "        tag: String,",
                "        name: String? = nil,", "        kind: String,",
                "        weight: Float? = nil,", "        vet: Company? = nil,",
                "        nick: [String] = [],", "        seen: Date? = nil", "    ) {",
                "        self.tag = tag", "        self.name = name",
                "        self.kind = kind", "        self.weight = weight",
                "        self.vet = vet", "        self.nick = nick",
                "        self.seen = seen", "    }", "}",
            ])
    }

    @Test func swiftDataHasInversesAndStructs() {
        let text = Self.whole("swiftdata")
        #expect(text.contains("struct Address: Codable {\n    var street: String\n"))
        #expect(text.contains("    // landlord: object, for which there is no type\n"))
        for (owner, property, name) in [
            ("Person", "pets", "personPets"), ("Person", "favourite", "personFavourite"),
            ("Pet", "vet", "petVet"), ("Person", "friends", "personFriends"),
        ] {
            #expect(
                text.contains(
                    "    @Relationship(inverse: \\\(owner).\(property)) var \(name): [\(owner)] = []\n"
                ))
        }
    }

    @Test func swiftDataKeepsStoredNames() {
        let text = Self.whole("swiftdata", "grammar")
        // The macro stores `u` as `_u`.
        #expect(text.contains("    @Attribute(originalName: \"x y\") var x_y: Int\n"))
        #expect(text.contains("    var `in`: Int\n"))
    }

    /// Returns the quoted names of tables and columns in the SQL statements, in order.
    private static func statements(_ fixture: String) -> [String] {
        let path = QueryRun.fixture("query/\(fixture).realm")
        let creations = QueryRun.text(["-f", "sql", "--all", path])
            .split(separator: "\n").filter { $0.hasPrefix("CREATE TABLE ") || $0.hasPrefix("  \"") }
        return creations.map { line in
            let name = line.drop { $0 != "\"" }.dropFirst()
            return "\"\(name.prefix { $0 != "\"" })\""
        }
    }

    @Test(arguments: ["social", "orders"]) func recordsOfGRDBHaveTheColumnNamesOfTheSQL(
        fixture: String
    ) {
        let names = Self.whole("grdb", fixture).split(separator: "\n").compactMap {
            line -> String? in
            if line.hasPrefix("    static let databaseTableName = ") {
                return String(line.dropFirst(35))
            }
            guard line.hasPrefix("        case ") else { return nil }
            return line.firstIndex(of: "=").map { String(line[$0...].dropFirst(2)) }
        }
        #expect(!names.isEmpty)
        #expect(names == Self.statements(fixture))
    }

    @Test func recordsOfGRDBHaveAssociations() {
        let text = Self.whole("grdb")
        #expect(
            text.contains(
                "    static let pets = hasMany(Pet.self, through: petsRows, using: Person_pets.value)\n"
            ))
        #expect(
            text.contains(
                "    static let employer = belongsTo(Company.self, using: ForeignKey([\"employer\"]))\n"
            ))
    }

    @Test func everyEntityOfRoomHasAPrimaryKeyAndATableName() {
        let text = Self.whole("room")
        #expect(
            text.contains(
                "@Entity(\n    tableName = \"Pet\",\n    primaryKeys = [\"tag\"],\n"
                    + "    foreignKeys = [\n        ForeignKey(entity = Company::class, "
                    + "parentColumns = [\"no\"], childColumns = [\"vet\"], deferred = true),\n"
                    + "    ],\n)\ndata class Pet(\n    val tag: String,\n    val name: String?,\n"))
        let entities = text.split(separator: "@Entity(").dropFirst()
        #expect(entities.count == text.split(separator: "data class ").count - 1)
        #expect(entities.allSatisfy { $0.contains("    primaryKeys = [\"") })
    }

    @Test func jsonSchemaDescribesTheRecords() throws {
        let schema = try StrictJSON(Self.whole("jsonschema"))
        let person = try #require(schema["$defs"]?["Person"])
        #expect(
            person["properties"]?["age"]?["type"] == .array([.string("integer"), .string("null")]))
        #expect(person["properties"]?["past"]?["items"]?["$ref"] == "#/$defs/Address")
        #expect(person["properties"]?["employer"]?["anyOf"]?.array?.first?["type"] == "integer")
        #expect(
            schema["anyOf"]?.array?.map { $0["$ref"] } == [
                "#/$defs/Company", "#/$defs/Person", "#/$defs/Pet",
            ])
        let one = try StrictJSON(
            QueryRun.text(["-S", "-f", "jsonschema", QueryRun.social, "Person"]))
        #expect(one["$ref"] == "#/$defs/Person")
        #expect(one["$defs"]?["Address"] != nil)
        #expect(one["$defs"]?["Pet"] == nil)
    }

    @Test func sparkColumnsHaveALineForEachClass() {
        #expect(
            Self.pet("ddl") == [
                "`tag` STRING, `name` STRING, `kind` STRING, `weight` FLOAT, `vet` BIGINT, "
                    + "`nick` ARRAY<STRING>, `seen` TIMESTAMP"
            ])
        #expect(Self.whole("ddl").contains("-- Company\n`no` BIGINT, "))
    }

    @Test func diagramsHaveClassesPropertiesAndLinks() {
        let mermaid = Self.whole("mermaid")
        #expect(
            mermaid.hasPrefix(
                "classDiagram\n    class class0[\"Address\"] {\n        <<embedded>>\n"))
        #expect(mermaid.contains("\n    class2 *-- \"*\" class0 : past\n"))
        #expect(mermaid.contains("\n    class3 --> \"0..1\" class1 : vet\n"))
        let dot = Self.whole("dot")
        #expect(dot.contains("<td align=\"left\">rates: dictionary&lt;double&gt;</td>"))
        #expect(dot.contains("    class3 -> class1 [label=<vet>, headlabel=\"0..1\"];\n"))
    }

    @Test(arguments: ["swiftdata", "grdb", "room", "jsonschema", "ddl", "mermaid", "dot"])
    func schemaFormatsPrintNoObjects(format: String) {
        #expect(QueryRun.error(["-f", format, QueryRun.social]).contains("--schema"))
        #expect(
            QueryRun.text(["-S", "-f", format, QueryRun.fixture("query/grammar.realm")]).count > 100
        )
    }
}
