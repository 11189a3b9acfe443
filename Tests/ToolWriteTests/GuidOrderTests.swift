import Testing

@testable import ToolKit
@testable import ToolSupport

/// `--guid dotnet`: files of .NET SDKs before 10.10 store the bytes of a GUID in the order of .NET.
@Suite struct GuidOrderTests {
    private let lab: WriteLab
    private static let first = "00112233-4455-6677-8899-aabbccddeeff"
    private static let second = "f8f37f1f-26c5-415e-b45c-12dbdc8478c8"

    init() {
        lab = WriteLab()
        lab.write(
            "schema",
            "class Item\n  *id  uuid\n  ids  list<uuid>\n  up  Item?\n  m  mixed\n  n  int\n")
    }

    private func make(_ records: String, _ options: String) {
        lab.write("in", records)
        let made = lab.shell(
            "$W --create --schema-file schema a.realm && $W --guid dotnet \(options) a.realm Item in"
                + " && $C --check a.realm > /dev/null")
        #expect(made.status == 0, "\(made.errorText)")
    }

    private func check() {
        let (a, b) = (Self.first, Self.second)
        #expect(
            lab.shell("$Q --guid dotnet -f csv -F id,ids,up,n a.realm Item").text
                == "id,ids,up,n\n\(a),\(b),,1\n\(b),,\(a),2\n")
        #expect(
            lab.shell("$Q -F id a.realm Item").text.hasPrefix(
                #"{"id":"33221100-5544-7766-8899-aabbccddeeff"}"#))
    }

    @Test func recordsKeepTheirGuids() {
        let (a, b) = (Self.first, Self.second)
        make(
            """
            {"id":"\(a)","ids":["\(b)"],"up":null,"m":{"$uuid":"\(b)"},"n":1}
            {"id":{"$binary":{"base64":"+PN/HybFQV60XBLb3IR4yA==","subType":"04"}},"up":"\(a)","n":2}

            """, "")
        check()
        let dump = "$Q --guid dotnet --types extended -f ndjson a.realm Item"
        #expect(lab.shell(dump).text.contains("+PN/HybFQV60XBLb3IR4yA=="))
        let copy = lab.shell(
            "\(dump) > out; $W --create --schema-file schema b.realm && $W --guid dotnet b.realm Item"
                + " out && $Q --digest a.realm > a; $Q --digest b.realm | cmp - a")
        #expect(copy.status == 0, "\(copy.text) \(copy.errorText)")
    }

    @Test func tablesKeepTheirGuids() {
        make(
            "id,ids,up,n\n\(Self.first),\(Self.second),,1\n\(Self.second),,\(Self.first),2\n",
            "-i csv")
        check()
    }

    @Test func predicatesAndValuesAreGuidsToo() {
        let (a, b) = (Self.first, Self.second)
        make("{\"id\":\"\(a)\",\"n\":1}\n", "--const 'm={\"$uuid\":\"\(b)\"}'")
        let bulk = lab.shell(
            "$W --guid dotnet --where 'id == uuid(\(a)) AND m == uuid(\(b))' --set 'n=7' "
                + "--set 'ids=[\"\(b)\"]' --expect-count 1 a.realm Item")
        #expect(bulk.status == 0, "\(bulk.errorText)")
        #expect(
            lab.shell("$Q --guid dotnet -f csv -F id,ids,n a.realm Item").text
                == "id,ids,n\n\(a),\(b),7\n")
        let merged = lab.shell(
            "echo '{\"id\":\"\(a)\",\"n\":8}' | $W -m update --guid dotnet a.realm Item")
        #expect(merged.status == 0, "\(merged.errorText)")
        #expect(lab.shell("$Q -c a.realm Item 'n == 8'").text == "1\n")
        #expect(lab.shell("$W --guid dotnet --index Item.n a.realm").status == 2)
    }
}
