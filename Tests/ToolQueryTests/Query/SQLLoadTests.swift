import Glibc
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Loads the SQL output into databases whose programs are installed, and compares all values.
@Suite struct SQLLoadTests {
    /// A database into which the SQL was loaded.
    private struct Loaded {
        let file: String
        /// Command to which the SQL is added as an argument; it prints `null` for null.
        let client: String
        /// Script for sed that replaces `true` and `false` by their output.
        let truths: String
        /// Returns a SQL expression for the bytes of a column as hexadecimal text.
        let hexadecimal: (String) -> String
        var types = ["bool", "int", "objectId", "uuid", "data"]
    }

    /// Fixtures can be loaded into SQLite, foreign keys are valid, and every property has the same
    /// values.
    @Test(arguments: QueryRun.all)
    func fixturesLoadIntoSQLite(file: String) throws {
        let scratch = ScratchDirectory()
        let database = scratch.file("x.sqlite")
        let load = ToolProcess.shell(
            "command -v sqlite3 > /dev/null || exit 77; set -o pipefail; "
                + "$TOOL -qa -f sql \(file) | sqlite3 -bail \(database) && "
                + "sqlite3 \(database) 'PRAGMA foreign_key_check'")
        if load.status == 77 { return }
        #expect(load.status == 0 && load.text == "" && load.errorText == "", "\(load.errorText)")
        var loaded = Loaded(
            file: file, client: "sqlite3 -nullvalue null \(database)",
            truths: "s/true/1/; s/false/0/",
            hexadecimal: { "iif(\($0) is null, \($0), lower(hex(\($0))))" })
        loaded.types += ["decimal128", "date"]
        try compare(loaded)
    }

    /// Fixtures can be loaded into PostgreSQL, on a server that the test starts.
    @Test func fixturesLoadIntoPostgreSQL() throws {
        guard let server = PostgresServer() else { return }
        for (number, file) in QueryRun.all.enumerated() {
            let client = server.client(schema: "f\(number)")
            let load = ToolProcess.shell(
                "set -o pipefail; \(client) -c 'create schema f\(number)' && "
                    + "$TOOL -qa -f sql --dialect postgres \(file) | \(client)")
            #expect(load.status == 0 && load.errorText == "", "\(file): \(load.errorText)")
            try compare(
                Loaded(
                    file: file, client: client + " -c", truths: "s/true/t/; s/false/f/",
                    hexadecimal: { "encode(\($0), $$hex$$)" }))
        }
    }

    /// Fixtures can be loaded into DuckDB, if its Python package is installed.
    @Test(arguments: QueryRun.all)
    func fixturesLoadIntoDuckDB(file: String) throws {
        let scratch = ScratchDirectory()
        let script = scratch.write("duck.py", Array(Self.duck.utf8))
        let client = "python3 \(script) \(scratch.file("x.duckdb"))"
        let load = ToolProcess.shell(
            "python3 -c 'import duckdb' 2> /dev/null || exit 77; set -o pipefail; "
                + "$TOOL -qa -f sql --dialect duckdb \(file) | \(client)")
        if load.status == 77 { return }
        #expect(load.status == 0 && load.text == "" && load.errorText == "", "\(load.errorText)")
        try compare(
            Loaded(
                file: file, client: client, truths: "s/true/True/; s/false/False/",
                hexadecimal: { "lower(hex(\($0)))" }))
    }

    /// Script that executes standard input, or prints the result of a query.
    private static let duck = """
        import sys, duckdb
        base = duckdb.connect(sys.argv[1])
        if len(sys.argv) == 2:
            base.execute(sys.stdin.read())
        else:
            for row in base.execute(sys.argv[2]).fetchall():
                print('null' if row[0] is None else row[0])
        """

    private func compare(_ loaded: Loaded) throws {
        let schema = try StrictJSON(QueryRun.text(["-S", "--json", loaded.file]))
        for table in schema["classes"]?.array ?? [] where table["kind"] != "embedded" {
            for property in table["properties"]?.array ?? [] {
                check(table, property, loaded)
            }
        }
    }

    private func check(_ table: StrictJSON, _ property: StrictJSON, _ loaded: Loaded) {
        guard case .string(let name)? = table["name"], case .string(let field)? = property["name"],
            case .string(let type)? = property["type"], loaded.types.contains(type),
            // Other values would need quoting in three languages.
            field.utf8.allSatisfy({ isalnum(Int32($0)) != 0 })
        else { return }
        let isSingle = property["collection"] == .null
        let column = "\"\(isSingle ? field : "value")\""
        let value = type == "data" ? loaded.hexadecimal(column) : column
        let source = isSingle ? "\"\(name)\"" : "\"\(name)_\(field)\""
        let stored = ToolProcess.shell("\(loaded.client) 'select \(value) from \(source)' | sort")
        let words = type == "bool" ? " | sed '\(loaded.truths)'" : ""
        let explode = isSingle ? "" : "--explode \(field)"
        let expected = ToolProcess.shell(
            "$TOOL --raw --binary hex \(explode) -F \(field) \(loaded.file) \(name)\(words) | sort")
        #expect(stored.text == expected.text, "\(loaded.file) \(name).\(field)")
    }
}

/// A PostgreSQL server with its own directory, run as a permitted user; it stops with its last
/// reference.
private final class PostgresServer {
    private let directory: String

    /// Nil if PostgreSQL is not installed.
    init?() {
        let run = ToolProcess.shell(
            """
            B=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | tail -1)
            [ -x "$B/initdb" ] && command -v psql > /dev/null || exit 77
            D=$(mktemp -d /tmp/toolkit-pg-XXXXXX); R=
            if [ "$(id -u)" = 0 ]; then
              id postgres > /dev/null 2>&1 || exit 77
              chown postgres $D; R="setpriv --reuid postgres --regid postgres --clear-groups"
            fi
            cd $D
            $R $B/initdb -D $D/data -A trust -U postgres -E UTF8 --locale=C > /dev/null &&
            $R $B/pg_ctl -D $D/data -l $D/log -w \\
              -o "-k $D -c listen_addresses= -c fsync=off" start > /dev/null &&
            printf '%s' $D
            """)
        guard run.status == 0 else { return nil }
        directory = run.text
    }

    deinit {
        _ = ToolProcess.shell(
            "kill -INT $(head -1 \(directory)/data/postmaster.pid); sleep 0.5; rm -rf \(directory)")
    }

    func client(schema: String) -> String {
        "PGOPTIONS='-c search_path=\(schema)' psql -h \(directory) -U postgres -d postgres "
            + "-v ON_ERROR_STOP=1 -qAtX -P null=null"
    }
}
