import RealmRecords
import Testing

@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport

/// The list of classes, the schema and the digests in every form.
@Suite struct QueryListingTests {
    @Test func listingsHaveEveryFormat() {
        #expect(
            QueryRun.lines("-f", "table") == [
                "CLASS    OBJECTS  PRIMARY KEY     PROPERTIES     DATA",
                "Address       13  (embedded)               5    856 B",
                "Company        4  no: int                  7  1.2 KiB",
                "Person         8  handle: string          18  3.4 KiB",
                "Pet            8  tag: objectId            7  1.2 KiB",
            ])
    }

    @Test func classesArePrintedAsJSON() {
        let first =
            #"{"class":"Address","objects":13,"embedded":true,"primaryKey":null,"#
            + #""properties":5,"bytes":856}"#
        #expect(QueryRun.lines().first == first)
        #expect(QueryRun.lines("--json").first == "[" + first + ",")
        #expect(
            QueryRun.lines("-f", "csv").prefix(3) == [
                "class,objects,embedded,primaryKey,properties,bytes",
                "Address,13,true,,5,856", "Company,4,false,no,7,1272",
            ])
        #expect(QueryRun.lines("-H", "-f", "tsv").first == "Address\t13\ttrue\t\\N\t5\t856")
        #expect(
            QueryRun.lines("-L1", "--offset", "2", "-fcsv", "-H").first?.hasPrefix("Person") == true
        )
        #expect(QueryRun.lines("-c") == ["4"])
    }

    @Test func internalTablesAreListedOnRequest() {
        #expect(QueryRun.lines("-c", "--internal") == ["5"])
        #expect(QueryRun.lines("--internal", of: "metadata") == [#"{"version":0}"#])
        let error = QueryRun.error([QueryRun.social, "metadata"])
        #expect(error.contains("there is no class metadata"))
    }

    @Test func schemasArePrintedAsText() {
        #expect(
            QueryRun.lines("--schema", of: "Person") == [
                "class Person",
                "  *handle     string",
                "   name       string",
                "   age        int?",
                "   height     double?",
                "   born       date?",
                "   vip        bool",
                "   balance    decimal128?",
                "   score      mixed",
                "   employer   Company?",
                "   boss       Person?",
                "   friends    list<Person>",
                "   follows    set<Person>",
                "   contacts   dictionary<Person?>",
                "   pets       list<Pet>",
                "   favourite  Pet?",
                "   address    Address?",
                "   past       list<Address>",
                "   sites      dictionary<Address?>",
            ])
        #expect(
            QueryRun.lines("-S").prefix(3) == ["schema version 0", "", "class Address (embedded)"])
    }

    @Test func schemaTextContainsIndexes() {
        let text = QueryRun.text(["-S", QueryRun.fixture("query/types.realm")])
        #expect(text.contains("   ix    int?         [index]\n"))
        let fulltext = QueryRun.text(["-S", QueryRun.fixture("query/text.realm")])
        #expect(fulltext.contains("[fulltext]\n"))
    }

    @Test func schemasArePrintedAsSwiftClasses() {
        #expect(
            QueryRun.lines("--schema", "-f", "swift", of: "Person") == [
                "import Foundation",
                "import RealmSwift",
                "",
                "final class Person: Object {",
                "    @Persisted(primaryKey: true) var handle: String",
                "    @Persisted var name: String",
                "    @Persisted var age: Int?",
                "    @Persisted var height: Double?",
                "    @Persisted var born: Date?",
                "    @Persisted var vip: Bool",
                "    @Persisted var balance: Decimal128?",
                "    @Persisted var score: AnyRealmValue",
                "    @Persisted var employer: Company?",
                "    @Persisted var boss: Person?",
                "    @Persisted var friends: List<Person>",
                "    @Persisted var follows: MutableSet<Person>",
                "    @Persisted var contacts: Map<String, Person?>",
                "    @Persisted var pets: List<Pet>",
                "    @Persisted var favourite: Pet?",
                "    @Persisted var address: Address?",
                "    @Persisted var past: List<Address>",
                "    @Persisted var sites: Map<String, Address?>",
                "}",
            ])
        #expect(
            QueryRun.text(["-S", "-f", "swift", QueryRun.social]).contains(
                "\nfinal class Address: EmbeddedObject {\n"))
        #expect(QueryRun.error(["-f", "swift", QueryRun.social, "Person"]).contains("--schema"))
    }

    @Test func schemasArePrintedForOtherLanguages() {
        func classes(_ format: String) -> [String] {
            QueryRun.lines("-S", "-f", format, of: "Pet")
        }
        #expect(
            classes("kotlin").dropFirst(6) == [
                "class Pet : RealmObject {", "    @PrimaryKey",
                "    var tag: ObjectId = ObjectId()", "    var name: String? = null",
                "    var kind: String = \"\"", "    var weight: Float? = null",
                "    var vet: Company? = null", "    var nick: RealmList<String> = realmListOf()",
                "    var seen: RealmInstant? = null", "}",
            ])
        #expect(
            classes("typescript").contains(
                #"      vet: { type: "object", objectType: "Company", optional: true },"#))
        #expect(classes("typescript").contains("  nick!: Realm.List<Realm.Types.String>;"))
        #expect(classes("csharp").contains("    public IList<string> nick { get; } = null!;"))
        #expect(classes("csharp").contains("public partial class Pet : IRealmObject"))
        let grammar = QueryRun.fixture("query/grammar.realm")
        #expect(
            QueryRun.text(["-S", "-f", "kotlin", grammar]).contains(
                "    @PersistedName(\"\\$p\")\n    var _p: Long = 0\n"))
        #expect(
            QueryRun.text(["-S", "-f", "csharp", grammar]).contains(
                "    [MapTo(\"x y\")]\n    public long x_y { get; set; }\n"))
        #expect(QueryRun.text(["-S", "-f", "typescript", grammar]).contains(#"  "x y"!: "#))
        for format in ["kotlin", "typescript", "csharp"] {
            #expect(QueryRun.error(["-f", format, QueryRun.social]).contains("--schema"))
        }
    }

    @Test func swiftNamesAreUniqueAndValid() {
        var names = ModelNames(reserved: SwiftNames.members)
        #expect(
            ["a b", "a_b", "1st", "description", "class", "naïve", "", "_", "a\"\n"].map {
                names.name(for: $0)
            } == ["a_b", "a_b_", "_1st", "description_", "class", "naïve", "_x", "_x_", "a__"])
        #expect(SwiftClasses.language.quoted("class") == "`class`")
        #expect(SwiftNames.literal("a\"\n\\(b)é") == #""a\"\u{a}\\(b)é""#)
    }

    @Test func schemasArePrintedAsJSON() throws {
        let schema = try StrictJSON(QueryRun.text(["-S", "--json", QueryRun.social]))
        #expect(schema["schemaVersion"] == .number("0"))
        let classes = try #require(schema["classes"]?.array)
        #expect(classes.map { $0["name"] } == ["Address", "Company", "Person", "Pet"])
        #expect(classes[0]["kind"] == "embedded")
        #expect(classes[2]["primaryKey"] == "handle")
        let contacts = try #require(
            classes[2]["properties"]?.array?.first { $0["name"] == "contacts" })
        #expect(
            contacts
                == .object([
                    "name": "contacts", "type": "object", "optional": .bool(true),
                    "collection": "dictionary", "keyType": "string", "target": "Person",
                    "primaryKey": .bool(false), "indexed": .bool(false), "fulltext": .bool(false),
                ]))
        let lines = QueryRun.lines("-S", "-fndjson", of: "Pet")
        #expect(lines.count == 1)
        #expect(try StrictJSON(lines[0])["name"] == "Pet")
        #expect(
            QueryRun.lines("-S", "-fcsv", of: "Pet")[1]
                == "Pet,class,tag,objectId,false,,,,true,false,false")
    }

    @Test func digestsArePrinted() {
        // Constants, because a digest must not change between releases.
        #expect(
            QueryRun.lines("--digest", "-ftable") == [
                "Company   4  07a1b3b041ecc4be",
                "Person    8  82a69105e9ea9bc0",
                "Pet       8  2e35c1fcb550cd54",
                "(all)    20  b8ed8ed9a575f9ec",
            ])
        #expect(
            QueryRun.lines("--digest", of: "Pet").first
                == #"{"class":"Pet","objects":8,"digest":"2e35c1fcb550cd54"}"#)
    }
}
