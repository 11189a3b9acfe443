import Testing

@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport

/// Every form of `--format` fails with an error if the output cannot be written or the input is
/// invalid.
@Suite struct FormFailureTests {
    private let scratch = ScratchDirectory()
    private static let large = QueryRun.fixture("objects/all-types-2-compacted.realm")

    /// Options and operands that produce output in the form.
    private static func words(_ format: OutputFormat) -> String {
        let form = "-f \(format.rawValue)"
        if format == .html { return "\(form) \(large)" }
        if format == .diff { return "\(form) --diff \(QueryRun.social) \(large)" }
        if SchemaForms.form(format) != nil { return "-S \(form) \(large)" }
        return "\(form) \(large) All"
    }

    @Test(arguments: QueryForms.all.map(\.rawValue)) func aFullDeviceHasExitStatusNine(form: String)
    {
        let words = Self.words(OutputFormat(rawValue: form))
        let run = ToolProcess.shell("$TOOL \(words) > /dev/full")
        #expect(run.status == 9)
        #expect(run.errorText.contains("No space left on device"))
    }

    @Test(arguments: QueryForms.all.map(\.rawValue)) func aBrokenPipeEndsTheToolSilently(
        form: String
    ) {
        let words = Self.words(OutputFormat(rawValue: form))
        let run = ToolProcess.shell(
            "(sleep 0.2; $TOOL \(words); echo $? > \(scratch.path)/status) | true; "
                + "cat \(scratch.path)/status")
        #expect(run.text == "141\n")
    }

    private static let schema = """
        {"schemaVersion":0,"classes":[
        {"name":"Date","kind":"class","primaryKey":"id","properties":[
        {"name":"id","type":"int","optional":false},{"name":"t","type":"date","optional":true},
        {"name":"all","type":"date","collection":"list","optional":false}]},
        {"name":"Case","kind":"class","primaryKey":null,"properties":[
        {"name":"x_y","type":"int","optional":false},{"name":"X_Y","type":"int","optional":false}]},
        {"name":"Name","kind":"class","primaryKey":null,"properties":[
        {"name":"$class","type":"int","optional":false},
        {"name":"$file","type":"int","optional":false}]}]}
        """

    /// Runs a script on a file with dates and names that other programs do not support.
    private func run(_ script: String) -> ToolProcess {
        scratch.write("schema.json", Array(Self.schema.utf8))
        let records = #"""
            {"$class":"Date","id":1,"t":{"$date":{"$numberLong":"253402300800000"}}}
            {"$class":"Date","id":2,"t":null,"all":[{"$date":{"$numberLong":"-62135596800001"}}]}
            {"$class":"Case","x_y":1,"X_Y":2}
            """#
        scratch.write("records", Array(records.utf8))
        return ToolProcess.shell(
            "cd \(scratch.path); rm -rf a.realm*; ${TOOL%query}write -q --create --schema-file schema.json a.realm - "
                + "records && echo '{\"$class\":3,\"$file\":4}' | ${TOOL%query}write -q a.realm Name && "
                + script)
    }

    @Test func datesThatOtherFormatsLackAreWrittenAsText() {
        #expect(
            run("$TOOL a.realm Date").text.split(separator: "\n") == [
                #"{"id":1,"t":"+10000-01-01T00:00:00Z","all":[]}"#,
                #"{"id":2,"t":null,"all":["0000-12-31T23:59:59.999Z"]}"#,
            ])
        // Spark would read these dates as null.
        #expect(
            run("$TOOL -S -f ddl a.realm Date").text
                == "`id` BIGINT, `t` STRING, `all` ARRAY<STRING>\n")
        for dialect in ["postgres", "duckdb"] {
            let sql = run("$TOOL -f sql --dialect \(dialect) a.realm Date")
            #expect(sql.errorText.contains("Date.t is text"))
        }
    }

    @Test func namesThatOtherFormatsCannotDistinguishAreRefused() {
        for options in ["-S -f ddl", "-S -f grdb", "-S -f room", "-f sql --all"] {
            let run = run("$TOOL \(options) a.realm")
            #expect(run.status == 2 && run.text == "", "\(options)")
            #expect(run.errorText.contains("would be the same column of"), "\(run.errorText)")
        }
    }

    /// A record contains each member only once.
    @Test func propertiesNamedLikeMembersAreRefused() {
        for options in ["--all", "--all -f json", "--with-filename --class Name"] {
            let run = run("$TOOL -q \(options) a.realm")
            #expect(run.status == 2, "\(options): \(run.text)")
            #expect(run.errorText.contains("class Name has a property $"))
        }
        #expect(run("$TOOL a.realm Name").text == "{\"$class\":3,\"$file\":4}\n")
        #expect(run("$TOOL --no-filename --class Name a.realm").status == 0)
        #expect(run("$TOOL --all --output-dir d a.realm; cat d/Name.ndjson; rm -r d").status == 0)
        #expect(run("$TOOL -f table --all a.realm").status == 0)
    }
}
