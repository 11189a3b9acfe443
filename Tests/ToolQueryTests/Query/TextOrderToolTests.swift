import Testing

@testable import ToolKit
@testable import ToolSupport

/// `[c]`, `[cd]` and `[n]` after key paths of options, functions as fields, and `--guid`.
@Suite struct TextOrderToolTests {
    private let lab = WriteLab()

    private func make() {
        lab.write(
            "schema", "class Person\n  *id  int\n  name  string\n  born  date?\n  tag  uuid\n")
        lab.write(
            "in",
            """
            {"id":1,"name":"Émile 10","born":"2024-06-30T23:30:00Z","tag":"00112233-4455-4677-8899-aabbccddeeff"}
            {"id":2,"name":"emile 9","born":null,"tag":"00112233-4455-4677-8899-aabbccddeeff"}
            {"id":3,"name":"ÉMILE 10","born":"2024-01-01T00:00:00Z","tag":"00112233-4455-4677-8899-aabbccddeeff"}

            """)
        #expect(
            lab.shell("$W --create --schema-file schema p.realm && $W p.realm Person in").status
                == 0)
    }

    @Test func sortsDistinguishesAndGroupsByCollations() {
        make()
        func ids(_ options: String) -> String {
            lab.shell("$Q -ftsv -H -F id \(options) p.realm Person").text
        }
        #expect(ids("--sort 'name[cdn]'") == "2\n1\n3\n")
        #expect(ids("--sort='-name[cd],id'") == "2\n1\n3\n")
        #expect(ids("--distinct 'name[c]'") == "1\n2\n")
        let sorted = lab.shell(
            "$Q -ftsv -H -F id p.realm Person 'TRUEPREDICATE SORT(name[n] DESC)'")
        #expect(sorted.text == "3\n1\n2\n" || sorted.text == "1\n3\n2\n", "\(sorted.text)")
        let groups = lab.shell(
            "$Q -ftsv -H --aggregate count --group-by 'name[cd]' --sort=-count p.realm Person")
        #expect(groups.text == "Émile 10\t2\nemile 9\t1\n", "\(groups.errorText)")
    }

    @Test func fieldsMayBeFunctionsOfProperties() {
        make()
        let result = lab.shell(
            "$Q -f ndjson -F 'id,m=month(born),floor(id, 2)' --zone +02:00 p.realm Person")
        #expect(
            result.text == """
                {"id":1,"m":"2024-07","floor(id, 2)":0}
                {"id":2,"m":null,"floor(id, 2)":2}
                {"id":3,"m":"2024-01","floor(id, 2)":2}

                """, "\(result.errorText)")
        let csv = lab.shell("$Q -f csv -F 'year(born)' p.realm Person")
        #expect(csv.text == "year(born)\n2024\n\n2024\n", "\(csv.text)")
        for (field, words) in [
            ("month(name)", "is not a date"), ("month(born", "month"), ("floor(born, 2)", "number"),
        ] {
            let refused = lab.shell("$Q -F '\(field)' p.realm Person")
            #expect(refused.status != 0, "\(field)")
            #expect(
                refused.errorText.contains(words) || refused.errorText.contains("int, float"),
                "\(refused.errorText)")
        }
    }

    @Test func guidsOfDotnetAreShownAndFoundInItsOrder() {
        make()
        let stored = "00112233-4455-4677-8899-aabbccddeeff"
        let shown = "33221100-5544-7746-8899-aabbccddeeff"
        func text(_ arguments: String) -> String { lab.shell("$Q \(arguments)").text }
        #expect(text("-ftsv -H -F tag -L1 p.realm Person") == stored + "\n")
        #expect(text("--guid dotnet -ftsv -H -F tag -L1 p.realm Person") == shown + "\n")
        #expect(
            text("--guid dotnet -f ndjson -F tag -L1 p.realm Person") == "{\"tag\":\"\(shown)\"}\n")
        #expect(text("-c --guid dotnet p.realm Person 'tag == uuid(\(shown))'") == "3\n")
        #expect(text("-c --guid dotnet --arg \(shown) p.realm Person 'tag == $0'") == "3\n")
        #expect(text("-c --guid dotnet p.realm Person 'tag == uuid(\(stored))'") == "0\n")
        #expect(!lab.shell("${TOOL%write}versions p.realm").text.contains("dotnet"))
        // The bytes that .NET stored for a random GUID.
        lab.write("swapped", "{\"id\":1,\"tag\":\"33221100-5544-7746-8899-aabbccddeeff\"}\n")
        #expect(
            lab.shell("$W --create --schema-file schema n.realm && $W n.realm Person swapped")
                .status
                == 0)
        #expect(lab.shell("${TOOL%write}versions n.realm").text.contains("--guid dotnet"))
        #expect(
            lab.shell("${TOOL%write}versions --json n.realm").text.contains(#""guids":"dotnet""#))
        let second = #"{"id":2,"tag":"f8f37f1f-26c5-415e-b45c-12dbdc8478c8"}"#
        #expect(lab.shell("echo '\(second)' | $W n.realm Person").status == 0)
        #expect(
            lab.shell("${TOOL%write}versions --json n.realm").text.contains(#""guids":"mixed""#))
        #expect(lab.shell("${TOOL%write}versions n.realm").text.contains("some in the byte order"))
    }

    /// UUIDs of time look like swapped random ones now and then.
    @Test func uuidsOfTimeAreNotTakenForThoseOfDotnet() {
        make()
        let ids = (0..<40).map { i in
            #"{"id":\#(i),"tag":"018f3a5c-00\#(i + 10)-7\#(100 + i * 20)-8899-aabbccddeeff"}"#
        }
        lab.write("times", ids.joined(separator: "\n") + "\n")
        #expect(
            lab.shell("$W --create --schema-file schema t.realm && $W t.realm Person times").status
                == 0)
        #expect(!lab.shell("${TOOL%write}versions --json t.realm").text.contains("guids"))
    }
}
