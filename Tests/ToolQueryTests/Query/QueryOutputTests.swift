import Glibc
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Guarantees for scripts: exit statuses, files, pipes, and unchanged databases.
@Suite struct QueryOutputTests {
    private let social = QueryRun.social

    @Test(arguments: ["table", "ndjson", "json", "csv", "tsv"])
    func aFullDiskHasExitStatusNine(format: String) {
        for request in ["\(social)", "\(social) Pet", "\(social) Pet -L0 -e", "-S \(social)"] {
            let run = ToolProcess.shell("$TOOL -f \(format) \(request) > /dev/full")
            // Empty output cannot fail.
            let isEmpty = request.contains("-L0") && (format == "ndjson")
            #expect(run.status == (isEmpty ? 1 : 9), "\(request): \(run.errorText)")
        }
    }

    @Test func aFullDiskHasExitStatusNineForShortAnswers() {
        for request in [
            "-c \(social) Pet", "--digest \(social)", "-a \(social)", "-S --json \(social)",
        ] {
            #expect(ToolProcess.shell("$TOOL \(request) > /dev/full").status == 9)
        }
        let named = ToolProcess.shell("$TOOL -o /dev/full \(social) Pet")
        #expect(named.status == 9)
        #expect(named.errorText.hasPrefix("realm-query: /dev/full: "))
    }

    @Test func explanationsHaveALineForEachStep() {
        let run = ToolProcess.shell(
            "$TOOL -c --explain \(social) Person 'age > 3 AND name != null'")
        let lines = run.errorText.split(separator: "\n")
        #expect(run.status == 0 && lines.count == 4, "\(run.errorText)")
        #expect(lines.allSatisfy { $0.hasPrefix("realm-query: ") && !$0.contains("\\x") })
    }

    @Test func aClosedPipeEndsTheToolSilently() {
        let bulk = QueryRun.fixture("query/bulk.realm")
        let run = ToolProcess.shell(
            "for i in 1 2 3 4 5 6 7 8; do $TOOL -a \(bulk) | head -1 > /dev/null; "
                + "echo ${PIPESTATUS[0]}; done; $TOOL -a \(bulk) | true; echo ${PIPESTATUS[0]}")
        #expect(run.errorText == "")
        let statuses = Set(run.text.split(separator: "\n").map(String.init))
        #expect(statuses.isSubset(of: ["0", "141"]))
        #expect(statuses.contains("141"))
    }

    @Test func invalidInputsHaveTheirExitStatuses() {
        let scratch = ScratchDirectory()
        var random: UInt64 = 88_172_645_463_325_252
        let noise = (0..<5000).map { _ in
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return UInt8(truncatingIfNeeded: random)
        }
        let whole = contents(of: social) ?? []
        let truncated = scratch.write("truncated.realm", Array(whole[..<2000]))
        let key = scratch.write("key", noise.prefix(64).map { $0 })
        func status(_ arguments: String...) -> (Int32, String) {
            let run = ToolProcess.run("realm-query", arguments)
            #expect(run.output == [])
            return (run.status, run.errorText)
        }
        #expect(status(scratch.file("missing")).0 == 3)
        #expect(status(scratch.path).0 == 3)
        let random5000 = status(scratch.write("noise", noise))
        #expect(random5000.0 == 3)
        #expect(random5000.1.contains("not a Realm file, or encrypted"))
        #expect(status(truncated).0 == 4)
        #expect(status("-K", key, social).0 == 5)
        #expect(status("-K", scratch.write("short", [1, 2, 3]), social).0 == 5)
        #expect(status("--access", "shared", social).0 == 6)
        #expect(status("-o", scratch.file("missing/out"), social, "Pet").0 == 9)
        #expect(status("-e", "--offset", "8", social, "Pet").0 == 1)
        #expect(
            status("--json", scratch.file("missing")).1.hasPrefix(
                #"{"error":{"code":"FileNotFound""#))
    }

    @Test func outputFilesAreCompleteOrAbsent() {
        let scratch = ScratchDirectory()
        let out = scratch.file("out.csv")
        #expect(QueryRun.text(["-o", out, "-fcsv", "-Ftag", "-L1", social, "Pet"]) == "")
        let line = "tag\n000000000000000000000001\n"
        #expect(contents(of: out) == Array(line.utf8))
        #expect(QueryRun.error(["-o", out, social, "Pet"]).contains("exists"))
        #expect(QueryRun.error(["-o", out, "--force", social, "Pest"]).contains("no class"))
        #expect(contents(of: out) == Array(line.utf8), "left alone by what failed")
        _ = QueryRun.text(["-o", out, "--force", "-c", social, "Pet"])
        #expect(contents(of: out) == Array("8\n".utf8))
        #expect(scratch.entries == ["out.csv"])
    }

    @Test func theDatabaseIsNeverReplaced() {
        let scratch = ScratchDirectory()
        let copy = scratch.write("a.realm", contents(of: social) ?? [])
        #expect(QueryRun.error(["--force", "-o", copy, copy, "Pet"]).contains("database itself"))
        #expect(contents(of: copy) == contents(of: social))
    }

    @Test func databasesAreReadFromStandardInput() {
        let run = ToolProcess.shell(
            "$TOOL -c - Pet < \(social); TMPDIR=/nowhere $TOOL - < \(social)")
        #expect(run.text == "8\n")
        #expect(run.status == 9, "no place for the temporary file")
    }

    @Test func readingChangesNothing() {
        let scratch = ScratchDirectory()
        let path = scratch.write("a.realm", contents(of: social) ?? [], mode: 0o400)
        chmod(scratch.path, 0o500)
        defer { chmod(scratch.path, 0o700) }
        var before = stat()
        stat(path, &before)
        for arguments in [
            [path], ["-a", path], ["-S", path], ["--digest", path], ["-a", "-j2", path],
        ] {
            _ = QueryRun.text(arguments)
        }
        var after = stat()
        stat(path, &after)
        #expect(scratch.entries == ["a.realm"])
        #expect(contents(of: path) == contents(of: social))
        #expect(before.st_mtim.tv_sec == after.st_mtim.tv_sec)
        #expect(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec)
        #expect(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
    }

    @Test func outputDoesNotDependOnLocaleOrTimeZone() {
        for request in ["-a", "-a -f table", "-S", "-a --time unix", "--digest"] {
            let run = ToolProcess.shell(
                "cmp <(LC_ALL=C TZ=UTC $TOOL \(request) \(social)) "
                    + "<(LC_ALL=tr_TR.UTF-8 TZ=Pacific/Auckland $TOOL \(request) \(social))")
            #expect(run.status == 0, "\(request)")
        }
    }

    @Test func headingsAreColouredOnRequest() {
        func table(_ script: String) -> String {
            ToolProcess.shell("\(script) $TOOL -q -ftable $MORE \(social)").text
        }
        #expect(!table("").contains("\u{1B}"))
        let always = ToolProcess.shell("$TOOL --color always -ftable \(social)").text
        #expect(always.hasPrefix("\u{1B}[1mCLASS"))
        let width = ToolProcess.shell("COLUMNS=40 $TOOL -ftable -Fstreet,phones \(social) Address")
            .text
        #expect(width.split(separator: "\n").allSatisfy { $0.count <= 40 })
    }

    @Test func directoryExportsKeepRelations() throws {
        let scratch = ScratchDirectory()
        let out = scratch.file("out")
        defer {
            for name in Self.names(out) { unlink(out + "/" + name) }
            rmdir(out)
        }
        _ = QueryRun.text(["-a", "-fcsv", "--output-dir", out, social])
        #expect(
            Self.names(out) == [
                "Company.board.csv", "Company.csv", "Company.marks.csv", "Company.rates.csv",
                "Person.contacts.csv", "Person.csv", "Person.follows.csv", "Person.friends.csv",
                "Person.past.csv", "Person.pets.csv", "Person.sites.csv", "Pet.csv", "Pet.nick.csv",
            ])
        func text(_ name: String) -> String {
            String(decoding: contents(of: out + "/" + name) ?? [], as: UTF8.self)
        }
        #expect(text("Company.csv").hasPrefix("no,title,founded,parent\n1,Northwind,1950,\n"))
        #expect(
            text("Company.rates.csv")
                == "owner,key,value\n1,high,9.25\n1,low,0.5\n3,low,1.5\n4,mid,3.0\n")
        #expect(text("Company.board.csv").hasPrefix("owner,value\n1,ann\n1,bob\n2,cid\n"))
        #expect(
            text("Person.friends.csv").hasPrefix(
                "owner,index,value\nann,0,bob\nann,1,cid\nbob,0,ann\n"))
        #expect(QueryRun.error(["-a", "-fcsv", "--output-dir", out, social]).contains("exists"))
        _ = QueryRun.text(["-a", "-fcsv", "--force", "--output-dir", out, social])
        _ = QueryRun.text(["-a", "--output-dir", out, social])
        #expect(text("Pet.ndjson") == QueryRun.text([social, "Pet"]))
        let failed = ToolProcess.run("realm-query", ["-a", "--output-dir", social + "/x", social])
        #expect(failed.status == 9)
    }

    private static func names(_ directory: String) -> [String] {
        let run = ToolProcess.shell("ls -A \(directory)")
        return run.text.split(separator: "\n").map(String.init)
    }
}
