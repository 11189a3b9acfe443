import Testing

@testable import ToolSupport

/// One request on several files.
@Suite struct QueryFilesTests {
    private let scratch = ScratchDirectory()
    private let types = QueryRun.fixture("query/types.realm")
    private let text = QueryRun.fixture("query/text.realm")
    private let social = QueryRun.social

    private func run(_ script: String) -> ToolProcess {
        ToolProcess.shell(
            script.replacing("@S", with: social).replacing("@T", with: types)
                .replacing("@X", with: text).replacing("@D", with: scratch.path))
    }

    private func lines(_ script: String) -> [Substring] {
        let run = run(script)
        #expect(run.status == 0, "\(run.errorText)")
        return run.text.split(separator: "\n")
    }

    @Test func recordsNameTheirFile() throws {
        let all = lines("$TOOL --all @S @T")
        let apart = lines("$TOOL --all @S") + lines("$TOOL --all @T")
        #expect(all.count == apart.count)
        for (line, alone) in zip(all, apart) {
            let record = try StrictJSON(Array(line.utf8))
            let file = line.contains(social) ? social : types
            #expect(record["$file"] == .string(file))
            #expect(line == "{\"$file\":\"\(file)\"," + alone.dropFirst())
        }
        #expect(lines("$TOOL --all --no-filename @S @T") == apart)
        #expect(lines("$TOOL --all --with-filename @S").allSatisfy { $0.hasPrefix("{\"$file\":") })
        // The name of a single file is left out.
        #expect(!lines("$TOOL --all @S").contains { $0.contains("$file") })
    }

    @Test func reportsHaveAColumnForTheFile() {
        let digests = lines("$TOOL --digest --with-filename @S @T")
        let alone = lines("$TOOL --digest @S") + lines("$TOOL --digest @T")
        #expect(
            digests.map { String($0.replacing(#/"file":"[^"]*",/#, with: "")) }
                == alone.map(String.init))
        #expect(lines("$TOOL --digest --no-filename @S @T") == alone)
        let rows = lines("$TOOL -f csv --with-filename @S @T")
        #expect(rows.first == "file,class,objects,embedded,primaryKey,properties,bytes")
        #expect(rows.count { $0.hasPrefix("file,") } == 1)
        #expect(rows.count { $0.hasPrefix(types + ",") } > 0)
        let table = lines("COLUMNS=1000 $TOOL -f table --with-filename @S @T")
        #expect(table[0].hasPrefix("FILE ") && table.contains { $0.hasPrefix(types) })
        #expect(
            lines("$TOOL -f json --digest --with-filename @S @T | jq -r '.[].file'").count
                == alone.count)
    }

    @Test func schemasNameTheirFile() {
        let lines = lines("$TOOL -S -f ndjson --with-filename @S @T")
        #expect(lines.allSatisfy { $0.hasPrefix("{\"file\":\"/") })
        #expect(
            self.lines("$TOOL -S --with-filename @S @T").count { $0.hasPrefix("file /") } == 2)
        #expect(
            self.lines("$TOOL -S -f csv --class Person --with-filename @S")[0]
                .hasPrefix("file,class,"))
    }

    @Test func countsNameTheirFile() {
        let count = lines("$TOOL -c @S Person")[0]
        #expect(
            lines("$TOOL -c --class Person @S @S") == ["\(social):\(count)", "\(social):\(count)"])
        #expect(lines("$TOOL -c --class Person --no-filename @S @S") == [count, count])
        let some = lines("$TOOL -c @S Person 'age > 30'")[0]
        #expect(lines("$TOOL -c --class Person --where 'age > 30' @S") == ["\(social):\(some)"])
        #expect(
            lines("$TOOL --class Person --where 'age > 30' --no-filename @S")
                == lines("$TOOL @S Person 'age > 30'"))
    }

    /// An error in one file does not prevent the others from being processed, and the most serious
    /// error determines the status.
    @Test func theMostSeriousErrorOfSeveralFilesIsTheStatus() {
        scratch.write("damaged.realm", [UInt8](repeating: 7, count: 100))
        let missing = run("$TOOL -c --class Person @S @D/missing.realm @S")
        #expect(missing.status == 3)
        #expect(missing.text.split(separator: "\n").count == 2)
        #expect(missing.errorText.contains("missing.realm"))
        let several = run("$TOOL --digest --with-filename @D/missing.realm @T @D/damaged.realm")
        #expect(several.status == 3, "neither is a Realm file")
        #expect(several.text.contains(types))
        let unknown = run("$TOOL -c --class Person @T @S")
        #expect(unknown.status == 2 && unknown.text.hasPrefix(social))
        #expect(unknown.errorText.contains("there is no class Person"))
        // Like grep, the status is 0 if any file has a result.
        #expect(run("$TOOL -e -c --class Person --where 'age > 3000' @S").status == 1)
        #expect(run("$TOOL -e -c --class Person --where 'age > 30' @S").status == 0)
        #expect(run("$TOOL -e -c --class Person --where 'age > 3000' @S @D/no.realm").status == 3)
    }

    @Test func outputOfAllFilesAppearsOnce() {
        let run = run("$TOOL --all -o @D/out @S @D/missing.realm @T; echo $?; wc -l < @D/out")
        #expect(run.text == "3\n\(lines("$TOOL --all @S @T").count)\n")
        #expect(self.run("$TOOL -c --with-filename @S > /dev/full").status == 9)
        #expect(self.run("$TOOL --all @S @T > /dev/full").status == 9)
        #expect(self.run("$TOOL --all @S @S @T | true; exit ${PIPESTATUS[0]}").status % 141 == 0)
    }

    @Test func contradictoryOptionsAreRefused() {
        for script in [
            "$TOOL --all -f csv @S @T", "$TOOL --all -f sql @S @T",
            "$TOOL -f html --with-filename @S",
            "$TOOL -S -f swift --with-filename @S", "$TOOL -S -f json --with-filename @S @T",
            "$TOOL --with-filename --no-filename @S", "$TOOL --where 'age > 1' @S",
            "$TOOL --class Person --aggregate count @S", "$TOOL --all --class Person @S",
            "$TOOL --watch --with-filename @S", "$TOOL --diff @S --with-filename @T",
            "$TOOL --batch --with-filename @S", "$TOOL --all --output-dir @D/d @S @T",
            "$TOOL @S Person 'age > 1' more",
        ] {
            let run = run(script)
            #expect(run.status == 2, "\(script): \(run.text)")
            #expect(run.text == "")
        }
        #expect(run("$TOOL --digest @S @T").errorText.contains("hint: --with-filename"))
        // A class after --all is reported as a mistake, not as a missing file.
        #expect(run("$TOOL --all @S Person").errorText.contains("already prints every class"))
    }
}
