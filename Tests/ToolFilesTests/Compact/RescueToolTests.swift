import Glibc
import Testing

@testable import RealmEngine
@testable import ToolKit
@testable import ToolSupport

/// Checks, older versions and salvage, called from scripts.
@Suite struct RescueToolTests {
    /// Returns the offset of the root selected by the header.
    private func root(_ lab: CompactLab, _ name: String) throws -> Int {
        let database = try Database(immutable: lab.path(name))
        return Int(database.header.top.raw)
    }

    @Test func checkReportsDamageAndARemedy() throws {
        let lab = try CompactLab()
        let digest = try #require(try previousDigest(lab))
        // The newest root has an invalid ref to the list of tables.
        lab.damage("app.realm", at: try root(lab, "app.realm") + 8 + 3, 0x77)
        let check = lab.shell("$C --check -f ndjson app.realm")
        #expect(check.status == 4, "\(check.text)")
        #expect(check.text.hasPrefix(#"{"severity":"error","code":""#))
        #expect(check.text.contains(#""previousSlot":"ok","salvageable":"#))
        #expect(check.text.contains(#","advice":"realm-compact --at previous"#))
        let run = lab.shell("$C --at previous -o recovered.realm app.realm")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(lab.digest("recovered.realm") == digest)
        #expect(lab.shell("$C --check --strict recovered.realm").status == 0)
    }

    private func previousDigest(_ lab: CompactLab) throws -> String? {
        let version = try Database(immutable: lab.path("app.realm")).version
        let before = lab.shell("$C -q --at \(version - 1) -o before.realm app.realm")
        return before.status == 0 ? lab.digest("before.realm") : nil
    }

    @Test func salvageKeepsTheReadableObjects() throws {
        let lab = try CompactLab()
        let database = try Database(immutable: lab.path("app.realm"))
        let info = try #require(database.schema.table(named: "Note"))
        let snapshot = database.snapshot()
        let leaf = try #require(
            try ClusterTree(space: snapshot.lookup, root: info.root).leaves().firstLeaf())
        let column = try leaf.columnRef(info.columns[1].leafIndex)
        // A leaf of texts gets an unknown form.
        lab.damage("app.realm", at: Int(column.raw) + 4, 0x1F)
        // The recipe in the manual.
        let run = lab.shell(
            """
            $C --check app.realm > found; [ $? -eq 4 ] &&
            $C --salvage -o rescued.realm app.realm > lost.ndjson; echo $?
            tail -n 1 lost.ndjson; wc -l < lost.ndjson; $Q -c rescued.realm Note
            """)
        let summary =
            #"{"tool":"realm-compact","output":1,"summary":{"salvaged":2000,"lostObjects":0,"#
        #expect(run.text.hasPrefix("4\n" + summary))
        #expect(run.text.hasSuffix("2000\n"), "\(run.text) \(run.errorText)")
        #expect(lab.shell("$C --check --strict rescued.realm").status == 0)
        let lines = lab.shell("cat lost.ndjson").text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains(#""property":"text""#))
        for line in lines { #expect((try? StrictJSON(Array(line.utf8))) != nil) }
        #expect(lab.hasNoTemporaryFiles)
    }

    /// Without its header, a file's content is still found, and a check reports that.
    @Test func salvageFindsContentWithoutAHeader() throws {
        let lab = try CompactLab()
        _ = lab.shell("cp app.realm lost.realm")
        for i in 0..<24 { lab.damage("lost.realm", at: i, 0) }
        let check = lab.shell("$C --check lost.realm")
        #expect(check.status == 4 && check.text.contains("--salvage would copy: about "))
        let run = lab.shell("$C --salvage -o found.realm lost.realm")
        #expect(run.status == 4, "\(run.errorText)")
        #expect(lab.digest("found.realm") == lab.digest("app.realm"))
        let other = lab.shell("head -c 4096 /dev/zero > zero.realm; $C --check zero.realm")
        #expect(other.status == 3)
    }

    /// A space map counts each byte once. Nothing is lost of a whole file; of a truncated file, the
    /// missing part is lost, and of a file with a hole, the hole.
    @Test func spaceMapsCountEachByteOnce() throws {
        let lab = try CompactLab()
        let script = """
            $C --salvage --space-map $1.svg -o $1.out $1.realm | tail -n 1 |
            sed 's/.*"bytes":{\\(.*\\)}}/\\1/; s/"//g; s/,/\\n/g' > $1.sums
            grep -c '</svg>' $1.svg; awk -F: '{ sum += $2 } END { print sum }' $1.sums
            sed -n 's/^lost://p; s/^copied://p' $1.sums
            """
        func map(_ name: String) -> [Int] {
            lab.shell("set \(name); \(script)").text.split(separator: "\n").compactMap { Int($0) }
        }
        let size = lab.size("app.realm")
        let whole = map("app")
        #expect(whole.count == 4 && whole[0] == 1 && whole[1] == size && whole[3] == 0, "\(whole)")
        _ = lab.shell("head -c $((\(size / 16) * 8)) app.realm > half.realm")
        let half = map("half")
        #expect(half.count == 4 && half[1] >= size / 16 * 8, "\(half)")
        _ = lab.shell(
            """
            cp app.realm hole.realm
            dd if=/dev/zero of=hole.realm conv=notrunc bs=24 count=1 2> /dev/null
            """)
        let hole = map("hole")
        #expect(hole.count == 4 && hole[1] == size && hole[3] >= 24, "\(hole)")
        #expect(hole[2] == whole[2], "\(hole)")
        let refused = lab.shell("$C --salvage --map app.svg -o other.out app.realm")
        #expect(refused.status == 2 && !lab.scratch.entries.contains("other.out"))
        #expect(lab.hasNoTemporaryFiles)
    }

    @Test func checkAcceptsSeveralFiles() throws {
        let lab = try CompactLab()
        let run = lab.shell("cp app.realm b.realm; $C --check=quick --json app.realm b.realm no")
        #expect(run.status == 3)
        #expect((try? StrictJSON(run.output)) != nil, "\(run.text)")
        let lines = lab.shell("$C --check -f ndjson app.realm b.realm").text
        #expect(
            lines == """
                {"file":"app.realm","summary":{"errors":0,"warnings":0}}
                {"file":"b.realm","summary":{"errors":0,"warnings":0}}

                """)
        let input = lab.shell("$C --check - < app.realm")
        #expect(input.status == 0 && input.text.hasPrefix("-: ok"))
        let cut = lab.shell("head -c 8192 app.realm > cut.realm; $C --check cut.realm")
        #expect(cut.status == 4, "\(cut.text)")
    }

    /// A truncated list of findings contains the number of omitted ones.
    @Test func omittedFindingsAreCounted() throws {
        let lab = try CompactLab()
        let file = QueryRun.fixture("objects/all-types-2-compacted.realm")
        let lines = lab.shell("$C --check -f ndjson '\(file)'").text.split(separator: "\n")
        let last = try #require(lines.last)
        #expect(last.contains(#""summary":{"errors":0,"warnings":400,"omitted":{"#))
        let omitted = last.split(separator: #""omitted":{"#).last?.prefix { $0 != "}" } ?? ""
        let rest = omitted.split(separator: ",").compactMap { $0.split(separator: ":").last }
            .compactMap { Int($0) }.reduce(0, +)
        #expect(rest > 0 && lines.count - 1 + rest == 400, "\(last)")
        let json = lab.shell("$C --check --json '\(file)'")
        #expect((try? StrictJSON(json.output)) != nil && json.text.contains(#","omitted":{"#))
    }
}

extension LeafCursor {
    /// Returns the first leaf, without a variable for the cursor.
    fileprivate func firstLeaf() throws -> ClusterLeaf? {
        var leaves = self
        return try leaves.next()
    }
}
