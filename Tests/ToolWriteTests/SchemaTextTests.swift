import Testing

@testable import ToolKit
@testable import ToolSupport
@testable import ToolWrite

/// Schemas written as `--schema` shows them.
@Suite struct SchemaTextTests {
    /// What is shown is read again as the same. What no line can hold is not: a name with a tab.
    @Test(arguments: QueryRun.all.filter { !$0.hasSuffix("grammar.realm") })
    func everySchemaIsReadAgain(file: String) {
        let lab = WriteLab()
        lab.write("schema.txt", QueryRun.text(["--schema", file]))
        let made = lab.shell("$W -q --create --schema-file schema.txt new.realm")
        #expect(made.status == 0, "\(made.errorText)")
        #expect(lab.shell("$Q -S --json new.realm").text == QueryRun.text(["-S", "--json", file]))
    }

    @Test func byHand() throws {
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

    @Test func mistakesHaveTheirLine() {
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
}
