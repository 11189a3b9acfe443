import Testing

@testable import ToolSupport

/// The Python recipes of realm-tools(7), MANY FILES; they run only if their packages are installed.
@Suite struct ColumnarTests {
    private let scratch = ScratchDirectory()

    private static func has(module: String) -> Bool {
        ToolProcess.shell("python3 -c 'import \(module)'").status == 0
    }

    private static let hasDuckDB = has(module: "duckdb")
    private static let hasSpark = has(module: "pyspark")

    /// Returns the output of a script in a directory with the records of class Person.
    private func printed(_ script: String) -> String {
        let path = scratch.write("script.py", Array(script.utf8))
        let run = ToolProcess.shell(
            "set -e; cd \(scratch.path); $TOOL -f ndjson \(QueryRun.social) Person > person.ndjson; "
                + "$TOOL -S -f ddl \(QueryRun.social) Person > person.ddl; python3 \(path) 2> errors"
        )
        #expect(run.status == 0, "\(ToolProcess.shell("tail -5 \(scratch.path)/errors").text)")
        return run.text
    }

    private var expected: String {
        let aggregates = "count,sum(age)"
        let line = QueryRun.text([
            "--aggregate", aggregates, "-f", "csv", "-H", QueryRun.social, "Person",
        ])
        return line.replacing(",", with: " ")
    }

    @Test(.enabled(if: hasDuckDB)) func duckDBWritesParquet() {
        let text = printed(
            """
            import duckdb
            base = duckdb.connect()
            base.execute("COPY (SELECT * FROM read_json('person.ndjson', format = "
                "'newline_delimited')) TO 'person.parquet' (FORMAT parquet)")
            print(*base.execute("SELECT count(*), sum(age) FROM 'person.parquet'").fetchone())
            """)
        #expect(text == expected)
    }

    @Test(.enabled(if: hasSpark)) func sparkWritesParquet() {
        let text = printed(
            """
            from pyspark.sql import SparkSession, functions
            spark = SparkSession.builder.master('local[1]').getOrCreate()
            people = spark.read.schema(open('person.ddl').read()).json('person.ndjson')
            people.write.parquet('person.parquet')
            stored = spark.read.parquet('person.parquet')
            print(stored.count(), stored.agg(functions.sum('age')).first()[0])
            """)
        #expect(text == expected)
    }

    /// Records of several files as one table with a column for the file.
    @Test(.enabled(if: hasDuckDB)) func duckDBReadsSeveralFiles() {
        let run = ToolProcess.shell(
            "cp \(QueryRun.social) \(scratch.path)/b.realm; cd \(scratch.path); "
                + "$TOOL --class Person \(QueryRun.social) b.realm > people.ndjson; python3 -c \"import "
                + "duckdb; print(*duckdb.connect().execute('SELECT count(*), count(DISTINCT "
                + "\\\"\\$file\\\") FROM read_json(\\$\\$people.ndjson\\$\\$)').fetchone())\"")
        let count = QueryRun.text(["-c", QueryRun.social, "Person"]).dropLast()
        #expect(run.text == "\(2 * Int(count)!) 2\n", "\(run.errorText)")
    }
}
