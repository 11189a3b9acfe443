import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Output of `-f sql`, and the database that it creates.
@Suite struct SQLTests {
    @Test func aClassIsPrintedAsStatements() {
        let lines = QueryRun.lines("-f", "sql", "-s", "tag", "-L1", of: "Pet")
        #expect(
            lines.prefix(16) == [
                "-- Written by realm-query for SQLite.", "BEGIN;",
                #"CREATE TABLE "Pet" ("#, #"  "tag" TEXT NOT NULL,"#, #"  "name" TEXT,"#,
                #"  "kind" TEXT NOT NULL,"#, #"  "weight" REAL,"#, #"  "vet" INTEGER,"#,
                #"  "seen" TEXT,"#, #"  PRIMARY KEY ("tag")"#, ");",
                #"CREATE TABLE "Pet_nick" ("#, #"  "owner" TEXT NOT NULL,"#,
                #"  "position" INTEGER NOT NULL,"#, #"  "value" TEXT NOT NULL,"#,
                #"  PRIMARY KEY ("owner", "position"),"#,
            ])
        #expect(lines.count(where: { $0.hasPrefix("INSERT") }) == 2)
        #expect(lines.last == "COMMIT;")
    }

    @Test func typesDependOnTheDialect() {
        func line(_ dialect: String, _ name: String) -> String? {
            let text = QueryRun.text([
                "-f", "sql", "--dialect", dialect, "-a", QueryRun.social, "-q",
            ])
            return text.split(separator: "\n").first { $0.hasPrefix("  \"\(name)\" ") }
                .map { String($0.dropFirst(name.utf8.count + 5).dropLast()) }
        }
        #expect(line("postgres", "balance") == "NUMERIC")
        #expect(line("postgres", "score") == "JSON")
        #expect(line("postgres", "height") == "DOUBLE PRECISION")
        #expect(line("duckdb", "vip") == "BOOLEAN NOT NULL")
        #expect(line("duckdb", "weight") == "FLOAT")
        #expect(line("sqlite", "born") == "TEXT")
    }

    @Test func duckDBHasNoForeignKeysForCycles() {
        let run = ToolProcess.run(
            "realm-query", ["-f", "sql", "--dialect", "duckdb", "-a", QueryRun.social])
        #expect(run.status == 0)
        #expect(run.errorText.contains("Person.boss"))
        #expect(!run.text.contains(#"FOREIGN KEY ("boss")"#))
        #expect(run.text.contains(#"FOREIGN KEY ("owner") REFERENCES "Pet" ("tag")"#))
    }

    /// The output does not depend on the number of threads.
    @Test(arguments: SQLDialect.allCases)
    func outputDoesNotDependOnThreads(dialect: SQLDialect) {
        let bulk = QueryRun.fixture("query/bulk.realm")
        let one = QueryRun.text(["-f", "sql", "--dialect", dialect.rawValue, "-qaj1", bulk])
        #expect(one == QueryRun.text(["-f", "sql", "--dialect", dialect.rawValue, "-qaj4", bulk]))
    }

    @Test func contradictoryOptionsAreRefused() {
        let social = QueryRun.social
        #expect(QueryRun.error(["-f", "sql", social]).contains("--all or a CLASS"))
        #expect(QueryRun.error(["--dialect", "sqlite", social, "Pet"]).contains("-f sql"))
        #expect(
            QueryRun.error(["-f", "sql", "--dialect", "oracle", "-a", social]).contains("sqlite"))
        #expect(QueryRun.error(["-f", "sql", "-F", "name", social, "Pet"]).contains("--fields"))
        #expect(QueryRun.error(["-f", "sql", "-aL1", social]).contains("--limit"))
        #expect(
            QueryRun.error(["-f", "sql", "-a", "--output-dir", "/tmp/none", social]).contains("sql")
        )
    }

    @Test func namesThatCollideInADialectAreRefused() {
        let scratch = ScratchDirectory()
        let schema = scratch.write(
            "schema.json",
            Array(
                #"""
                {"schemaVersion":1,"classes":[
                {"name":"A","kind":"class","primaryKey":null,"properties":[
                {"name":"b","type":"int","optional":false,"collection":"list"},
                {"name":"B","type":"int","optional":false}]},
                {"name":"a_b","kind":"class","primaryKey":null,"properties":[
                {"name":"x","type":"int","optional":false}]}]}
                """#.utf8))
        let file = scratch.file("x.realm")
        #expect(
            ToolProcess.run(
                "realm-write", ["--create", "--schema-file", schema, file]
            ).status == 0)
        let error = QueryRun.error(["-f", "sql", "-a", file])
        #expect(error.contains("the list A.b and class a_b would be the same table of SQLite"))
        let postgres = ["-f", "sql", "--dialect", "postgres", "-a", file]
        #expect(QueryRun.text(postgres).contains(#"CREATE TABLE "a_b""#))
    }

    @Test func specialCharactersAreEncodedForEachDialect() {
        func sql(_ text: String, _ dialect: SQLDialect) -> String {
            Self.literal(Array(text.utf8), dialect)
        }
        #expect(sql("it's\n\"é\"", .sqlite) == "'it''s\n\"é\"'")
        #expect(sql("a\0", .sqlite) == "CAST(X'6100' AS TEXT)")
        #expect(sql("a\r\n", .postgres) == "E'a\\r\n'")
        #expect(sql("a\0", .postgres) == #"'{"$string":"a\u0000"}'"#)
        #expect(sql("a'\r\0b", .duckdb) == "('a'''||chr(13)||''||chr(0)||'b')")
        #expect(sql(#"{"$string":1}"#, .duckdb) == #"'{"$string":"{\"$string\":1}"}'"#)
        #expect(Self.literal([0xFF], .sqlite) == "X'ff'")
        #expect(Self.literal([0xFF], .postgres) == #"'{"$string":{"base64":"/w=="}}'"#)
    }

    private static func literal(_ text: [UInt8], _ dialect: SQLDialect) -> String {
        var out = ByteBuffer(capacity: 64)
        text.withUnsafeBytes {
            SQLText(dialect).append(ByteView($0.baseAddress!, count: $0.count), to: &out)
        }
        return out.string
    }
}
