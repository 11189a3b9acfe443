import Testing

@testable import RealmEngine
@testable import ToolSupport

/// `--to-format` and `--local`: conversion of files of old formats and of synchronised databases.
@Suite struct ConversionToolTests {
    /// Makes a scratch directory with a fixture as `old.realm`.
    private static func lab(_ name: String) throws -> CompactLab {
        let lab = try CompactLab()
        let file = QueryRun.fixture("legacy/\(name).realm")
        let run = lab.shell("cp '\(file)' old.realm && chmod 644 old.realm")
        #expect(run.status == 0, "\(run.errorText)")
        return lab
    }

    @Test(arguments: ["f2-sdk", "f7-sdk", "f9-enum-1010-keys", "interrupted-upgrade-6"])
    func convertsToTheCurrentFormat(_ name: String) throws {
        let lab = try Self.lab(name)
        let run = lab.shell(
            """
            sha256sum old.realm > before
            $C --to-format 24 -o new.realm old.realm || exit
            sha256sum -c --quiet before || exit
            ${C%compact}versions -g format new.realm
            ${C%compact}query --digest old.realm > a; ${C%compact}query --digest new.realm > b
            cmp a b && $C --check --strict new.realm > /dev/null && echo same
            """)
        #expect(run.text == "24\nsame\n", "\(run.errorText)")
    }

    private static let schema = """
        class Doc
          * id      string
          names     set<string>
          bytes     set<data>
          any       mixed
          anys      set<mixed>
          words     dictionary<string>
          amount    decimal128
          amounts   list<decimal128>
          tags      list<mixed>
          friends   list<Doc>
          other     dictionary<Doc?>
        class Note
          text      string [index]
          about     Doc?
        """

    /// Documents with all content that older formats encode differently, also in more than one
    /// leaf.
    private static func documents(_ count: Int) -> String {
        (0..<count).map { i in
            let count = i % 40 == 0 ? 1200 : i % 7
            let texts = (0...count).map { #""\#(["é", "z", "Ab", "日"][$0 % 4])\#($0)""# }
            let list = texts.joined(separator: ",")
            let entries = texts.enumerated().map { "\($1):\"v\($0)\"" }.joined(separator: ",")
            return #"{"id":"doc \#(i)","names":[\#(list)],"bytes":["w6k=","eg=="],"any":\#(i),"#
                + #""anys":[\#(list),1.5,true,null],"words":{\#(entries)},"amount":"1.50","#
                + #""amounts":["1","2.25"],"tags":[1,"two",null],"friends":[{"id":"doc 0"}],"#
                + #""other":{"é":{"id":"doc 0"},"b":null}}"#
        }.joined(separator: "\n") + "\n"
    }

    private static func today() throws -> CompactLab {
        let lab = try CompactLab()
        _ = lab.scratch.write("schema", Array(schema.utf8))
        _ = lab.scratch.write("docs.ndjson", Array(documents(300).utf8))
        let run = lab.shell(
            """
            $W -q --create --schema-file schema today.realm Doc docs.ndjson || exit
            for i in 0 1 2; do echo '{"text":"'$(printf '%0220d' 1)é$i'","about":{"id":"doc 0"}}'; done |
                $W -q today.realm Note - || exit
            $Q --count today.realm Doc
            """)
        #expect(run.text == "300\n", "\(run.errorText)")
        return lab
    }

    /// The same objects are written in older formats and read back.
    @Test(arguments: [21, 22, 23])
    func writesOlderFormats(_ format: Int) throws {
        let lab = try Self.today()
        let run = lab.shell(
            """
            $C -q --to-format \(format) -o old.realm today.realm || exit
            ${C%compact}versions -g format old.realm
            $Q --digest today.realm > a; $Q --digest old.realm > b; cmp a b || exit
            $C --check old.realm > /dev/null || exit
            $C -q --to-format 24 -o back.realm old.realm || exit
            $Q --digest back.realm > c; cmp a c || exit
            $C --check --strict back.realm > /dev/null && echo same
            """)
        #expect(run.text == "\(format)\nsame\n", "\(run.errorText)")
    }

    @Test func namesPropertiesThatWouldBeLost() throws {
        let lab = try Self.today()
        let run = lab.shell("$C --to-format 20 -o old.realm today.realm; echo $?; ls old.realm")
        #expect(run.text == "6\n", "\(run.text)")
        for loss in [
            "Doc.names is a set", "Doc.any holds mixed values", "Doc.words is a dictionary",
        ] {
            #expect(run.errorText.contains(loss), "\(run.errorText)")
        }
        let nested = lab.shell(
            """
            echo '{"id":"doc 1","any":[1,2]}' | $W -q -m upsert today.realm Doc - || exit
            $C --to-format 23 -o old.realm today.realm; echo $?; ls old.realm
            """)
        #expect(nested.text == "6\n", "\(nested.errorText)")
        #expect(
            nested.errorText.contains(
                "Doc.any holds lists or dictionaries among its values, in 1 object"))
    }

    @Test func convertsToFormat20() throws {
        let lab = try CompactLab()
        let run = lab.shell(
            """
            $C -q --to-format 20 -o old.realm app.realm || exit
            ${C%compact}versions -g format old.realm; $C --check old.realm > /dev/null || exit
            $Q --digest app.realm > a; $Q --digest old.realm > b; cmp a b && echo same
            $C --to-format 12 -o x.realm app.realm 2> /dev/null; echo $?
            $C --to-format 20 app.realm 2> /dev/null; echo $?
            $C -q --to-format 20 --force app.realm && ${C%compact}versions -g format app.realm
            ${C%compact}versions -g format app.realm.bak
            """)
        #expect(run.text == "20\nsame\n6\n6\n20\n24\n", "\(run.errorText)")
    }

    /// Only the schema version is copied and compared from the table that stores it.
    @Test func acceptsAdditionalColumnsOfTheMetadataTable() throws {
        let lab = try CompactLab()
        let schema = try Database(immutable: lab.path("app.realm")).schema
        let metadata = try #require(schema.tables.first { $0.name == "metadata" })
        let session = try WriteSession(path: lab.path("app.realm"))
        let transaction = try session.begin()
        try transaction.addProperty(metadata.key, PropertySpec("other", .int))
        try transaction.commit()
        let run = lab.shell("$C -q --to-format 21 -o old.realm app.realm && echo done")
        #expect(run.text == "done\n", "\(run.errorText)")
    }

    /// Files are converted in place only with `--force`, and always with a backup.
    @Test func keepsTheOldFile() throws {
        let lab = try Self.lab("f9-sdk-compacted")
        let run = lab.shell(
            """
            cp old.realm kept
            $C --to-format 24 old.realm 2> /dev/null; echo $?
            cmp old.realm kept && ls | grep -c bak
            $C -q --to-format 24 --force old.realm; echo $?
            cmp old.realm.bak kept && ${C%compact}versions -g format old.realm
            cp kept old.realm
            $C -q --to-format 24 --backup=.v-old --force old.realm; echo $?
            cmp old.realm.v-old kept && ${C%compact}versions -g format old.realm
            """)
        #expect(run.text == "6\n0\n0\n24\n0\n24\n", "\(run.errorText)")
    }

    @Test func convertsSynchronisedFilesToLocalOnes() throws {
        let lab = try Self.lab("historic-f9-sync-oid")
        let refused = lab.shell("$C --to-format 24 -o new.realm old.realm")
        #expect(refused.status == 6 && refused.errorText.contains("--local"))
        let run = lab.shell(
            """
            $C -q --local -o new.realm old.realm || exit
            ${C%compact}versions -g format -g history new.realm
            ${C%compact}query --digest old.realm > a; ${C%compact}query --digest new.realm > b
            cmp a b && echo same
            """)
        #expect(run.text.hasSuffix("same\n") && run.text.hasPrefix("24\n"), "\(run.text)")
        #expect(!run.text.contains("sync"))
    }

    /// Errors for operations that old files do not support include a command that converts the
    /// file.
    @Test func errorsOfOtherToolsNameTheCommand() throws {
        let lab = try Self.lab("f7-sdk")
        for command in [
            "$C -o new.realm old.realm", "$C old.realm", "$C --analyze old.realm",
            "echo '{}' | ${C%compact}write old.realm Person",
        ] {
            let run = lab.shell(command)
            #expect(run.status == 6, "\(command): \(run.status) \(run.errorText)")
            #expect(
                run.errorText.contains("realm-compact --to-format 24 -o NEW FILE"), "\(command)")
        }
        let versions = lab.shell("${C%compact}versions old.realm")
        #expect(versions.text.contains("2017-03 to 2017-09"))
        #expect(versions.text.contains("--to-format 24"))
    }
}
