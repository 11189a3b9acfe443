import Testing

@testable import ToolKit
@testable import ToolSupport
@testable import ToolWrite

/// Schema files in the text form of `--schema`.
@Suite struct SchemaTextTests {
    /// The output of `--schema` is read back as the same schema. The exception is a name with a
    /// tab, which a line cannot represent.
    @Test(arguments: QueryRun.all.filter { !$0.hasSuffix("grammar.realm") })
    func schemasRoundTripAsText(file: String) {
        let lab = WriteLab()
        lab.write("schema.txt", QueryRun.text(["--schema", file]))
        let made = lab.shell("$W -q --create --schema-file schema.txt new.realm")
        #expect(made.status == 0, "\(made.errorText)")
        #expect(lab.shell("$Q -S --json new.realm").text == QueryRun.text(["-S", "--json", file]))
    }

    @Test func handWrittenSchemasAreRead() throws {
        let text = try SchemaText(
            """
            # pets
            schema version 3
            class Pet
            *tag objectId
              name string?
              \towner\tPerson
              all kinds  set<string?>
              by number  dictionary<int, Person?>
              size int [index]

            class Person (embedded)
              notes string [fulltext]
            """)
        #expect(text.version == 3)
        let pet = try #require(text.classes.first)
        #expect(pet.primaryKey == "tag")
        #expect(pet.property("owner")?.isOptional == true)
        #expect(pet.property("all kinds")?.typeText == "set<string?>")
        #expect(pet.property("by number")?.typeText == "dictionary<int, Person?>")
        #expect(pet.property("size")?.isIndexed == true)
        #expect(text.classes[1].kind == .embedded)
        #expect(text.classes[1].property("notes")?.isFullText == true)
    }

    @Test func errorsNameTheirLine() {
        for (text, line) in [
            ("  a int", 1), ("class A\n  a", 2), ("class A\nclass A", 2), ("klass A", 1),
            ("class A\n\n  a list<>", 3), ("class A\n  a int\n  a int", 3),
            ("class A\n *a int\n *b int", 3), ("schema version x", 1),
        ] {
            do throws(SchemaText.Fault) {
                _ = try SchemaText(text)
                Issue.record("accepted \(text)")
            } catch {
                #expect(error.line == line, "\(text)")
            }
        }
        let lab = WriteLab()
        lab.write("s.txt", "class A\n  a list<int\n")
        let run = lab.shell("$W --create --schema-file s.txt new.realm")
        #expect(run.status == 2)
        #expect(run.errorText.contains("line 2"))
        #expect(lab.shell("ls new.realm*").status != 0)
    }

    /// Applies a schema file to a database with the class `P`, which has a key `id`, a name and a
    /// binary.
    private func apply(_ text: String) -> (lab: WriteLab, run: ToolProcess) {
        let lab = WriteLab()
        lab.write(
            "p.txt",
            "class P\n  *id string\n  name string\n  raw binary\n  l list<binary?>\n")
        #expect(lab.shell("$W -q --create --schema-file p.txt p.realm").status == 0)
        lab.write("s.txt", text)
        return (lab, lab.shell("$W --schema-file s.txt p.realm"))
    }

    @Test func existingPrimaryKeysMayBeOmitted() {
        let (lab, run) = apply("class P\n  size int\n")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(
            lab.shell("$Q -S p.realm").text
                == "class P\n  *id    string\n   name  string\n   raw   data\n   l     list<data?>\n"
                + "   size  int\n")
        let other = apply("class P\n  *name string\n").run
        #expect(other.status == 2)
        #expect(other.errorText.contains("its primary key is id, not name"), "\(other.errorText)")
    }

    @Test(arguments: [
        ("class P\n  x strng\n", "did you mean string?"), ("class P\n  x list<>\n", "line 2"),
        (#"{"classes":[{"name":"P","properties":[{"name":"x","type":"wrong"}]}]}"#, "wrong"),
    ])
    func errorsForUnknownTypesListTheValidOnes(_ text: String, _ message: String) {
        let run = apply(text).run
        #expect(run.status == 2)
        #expect(run.errorText.contains(message), "\(run.errorText)")
        #expect(
            run.errorText.contains(
                "int, bool, string, data, mixed, date, float, double, decimal128"))
    }

    @Test func aClassMayBeNamedBinary() throws {
        let text = try SchemaText("class A\n  x binary?\nclass binary\n  n int\n")
        #expect(text.classes[0].property("x")?.target == "binary")
    }

    @Test func aPrimaryKeyHasNoFullTextIndex() {
        let lab = WriteLab()
        lab.write("s.txt", "class P\n  *id string [fulltext]\n")
        let made = lab.shell("$W --create --schema-file s.txt p.realm")
        #expect(made.status == 2)
        #expect(made.errorText.contains("P.id: a primary key has no full-text index"))
        #expect(lab.shell("ls p.realm").status != 0)
        let added = apply("class P\n  *id string [fulltext]\n").run
        #expect(added.status == 2)
        #expect(added.errorText.contains("P.id: a primary key keeps its index"))
        lab.write(
            "c.ndjson",
            #"{"op":"schema","class":"P","change":"add-class","kind":"class","primaryKey":"#
                + #"{"name":"id","type":"string","fulltext":true}}"# + "\n")
        let applied = lab.shell("$W -q --create e.realm; $W -m apply e.realm - c.ndjson")
        #expect(applied.status == 8)
        #expect(applied.errorText.contains("no full-text index"), "\(applied.errorText)")
    }
}
