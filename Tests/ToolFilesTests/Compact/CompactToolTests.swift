import Glibc
import Testing

@testable import RealmEngine
@testable import ToolKit
@testable import ToolSupport

/// `realm-compact` called from scripts.
@Suite struct CompactToolTests {
    @Test func compactsInPlace() throws {
        let lab = try CompactLab()
        let before = (lab.size("app.realm"), lab.digest("app.realm"))
        let run = lab.shell("chmod 640 app.realm; $C app.realm")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.text.isEmpty && run.errorText.hasPrefix("app.realm: "))
        #expect(lab.size("app.realm") < before.0 * 3 / 4)
        #expect(lab.digest("app.realm") == before.1)
        #expect(lab.shell("stat -c %a app.realm").text == "640\n")
        #expect(lab.hasNoTemporaryFiles)
        let check = lab.shell("$C --check --strict app.realm")
        #expect(check.status == 0 && check.text.hasPrefix("app.realm: ok (format 24, 2001 obj"))
        // Programs can still write to the file.
        let write = lab.shell(
            "echo '{\"id\":-1,\"text\":\"x\"}' | $W -q app.realm Note && $C --check app.realm")
        #expect(write.status == 0, "\(write.errorText)")
    }

    @Test("CD-12: a file in use is copied, not replaced") func copiesAFileInUse() throws {
        let lab = try CompactLab()
        let before = lab.digest("app.realm")
        let session = try WriteSession(path: lab.path("app.realm"))
        let refused = lab.shell("$C app.realm")
        #expect(refused.status == 7)
        #expect(refused.errorText.contains("in use by 1 process: \(getpid()) ("))
        #expect(lab.shell("$C --wait=150ms app.realm").status == 7)
        let run = lab.shell("$C -o copy.realm app.realm")
        #expect(run.status == 0, "\(run.errorText)")
        let estimate = lab.shell("$C --json -n app.realm")
        #expect(
            estimate.text.hasPrefix(#"{"tool":"realm-compact","output":1,"file":"app.realm","#))
        #expect(estimate.text.contains(#""possibleInPlace":false,"openers":[{"pid":\#(getpid()),"#))
        #expect(estimate.text.contains(#""estimatedBytes":\#(lab.size("copy.realm")),"#))
        withExtendedLifetime(session) {}
        #expect(lab.digest("copy.realm") == before && lab.hasNoTemporaryFiles)
        let again = lab.shell("$C -o copy.realm app.realm")
        #expect(again.status == 2 && again.errorText.contains("--force"))
        #expect(lab.shell("$C --force -o copy.realm app.realm").status == 0)
        #expect(lab.shell("$C --force -o app.realm app.realm").status == 2)
    }

    @Test func shrinksOnlyIfEnoughSpaceIsFree() throws {
        let lab = try CompactLab()
        let size = lab.size("app.realm")
        let no = lab.shell("$C --if-free 99% app.realm && $C --if-free 1GiB app.realm")
        #expect(no.status == 0 && no.errorText.contains("not needed"))
        #expect(lab.size("app.realm") == size)
        // The recipe in the manual.
        let run = lab.shell(
            "$C --if-free 10% --max-memory 64MiB --backup --wait=60s app.realm; $C --check -q *")
        #expect(run.errorText.contains("smaller"))
        #expect(lab.size("app.realm.bak") == size && lab.size("app.realm") < size)
        #expect(lab.digest("app.realm.bak") == lab.digest("app.realm"))
        #expect(lab.shell("$C --backup app.realm").status == 2)
        #expect(lab.shell("$C --backup=.old --json app.realm").text.contains(#""compacted":true"#))
    }

    @Test func keepsOrRemovesTheHistory() throws {
        let lab = try CompactLab()
        _ = lab.shell(
            "$C -q -o with.realm app.realm; $C -q --drop-history -o without.realm app.realm")
        #expect(lab.size("without.realm") < lab.size("with.realm"))
        _ = lab.shell("$C -q --enumerate 10 --drop-history -o few.realm app.realm")
        #expect(lab.size("few.realm") < lab.size("without.realm"))
        let digest = lab.digest("app.realm")
        for name in ["with", "without", "few"] {
            #expect(lab.digest(name + ".realm") == digest)
            #expect(lab.shell("$C --check --strict \(name).realm").status == 0)
        }
        #expect(lab.shell("$C --analyze few.realm").text.contains("string, enumerated"))
    }

    @Test func enumeratesTheNamedProperties() throws {
        let lab = try CompactLab()
        let digest = lab.digest("app.realm")
        for which in ["auto", "100", "Note.text"] {
            let run = lab.shell("$C --json --enumerate \(which) -o few.realm --force app.realm")
            #expect(run.status == 0 && lab.digest("few.realm") == digest, "\(run.errorText)")
        }
        #expect(lab.shell("$C --analyze few.realm").text.contains("string, enumerated"))
        for (which, why) in [
            ("0", "percentage"), ("Note", "CLASS.PROP"), ("Note.text,", "CLASS.PROP"),
            ("Note.nothing", "no such property"),
        ] {
            let run = lab.shell("$C --enumerate \(which) -o no.realm app.realm")
            #expect(run.status == 2 && run.errorText.contains(why), "\(run.errorText)")
        }
        #expect(lab.size("no.realm") < 0 && lab.hasNoTemporaryFiles)
    }

    @Test func followsSymbolicLinksAndRefusesHardLinks() throws {
        let lab = try CompactLab()
        let run = lab.shell("ln -s app.realm soft; $C -q soft; readlink soft")
        #expect(run.status == 0 && run.text == "app.realm\n")
        let hard = lab.shell("ln app.realm hard; $C hard")
        #expect(hard.status == 2 && hard.errorText.contains("2 names"))
        #expect(lab.shell("$C -q --force hard").status == 0)
    }

    @Test func analysisListsSizesOfProperties() throws {
        let lab = try CompactLab()
        let text = lab.shell("$C --analyze --top 2 app.realm").text
        #expect(text.contains("Note.text ") && text.contains("LARGEST VALUE"))
        let json = lab.shell("$C --analyze --json --top 2 app.realm")
        let value = try? StrictJSON(json.output)
        #expect(value != nil && json.text.contains(#""name":"(history)""#))
        let bytes = json.text.components(of: #""bytes":"#).dropFirst()
        #expect(bytes.count > 5)
    }

    @Test func refusesUnsupportedOptions() throws {
        let lab = try CompactLab()
        for (words, status) in [
            ("nothing.realm", 3), ("--to-format 23 app.realm", 6),
            ("--at previous app.realm", 2), ("-o - app.realm", 2), ("app.realm b.realm", 2),
            ("--salvage app.realm", 2), ("--check --analyze app.realm", 2),
            ("--strict app.realm", 2),
            ("--if-free much app.realm", 2), ("--at 1 -o x.realm app.realm", 2),
            ("--check nothing.realm", 3), ("--check /dev/null", 3), ("/etc/passwd", 3),
        ] {
            let run = lab.shell("$C \(words)")
            #expect(run.status == Int32(status), "\(words): \(run.status) \(run.errorText)")
        }
        #expect(
            Set(lab.scratch.entries).isSubset(of: [
                "app.realm", "app.realm.lock", "app.realm.management",
            ]))
    }

    @Test func fullDisksLeaveTheFileUnchanged() throws {
        let lab = try CompactLab()
        let before = contents(of: lab.path("app.realm"))
        for words in ["app.realm", "-o copy.realm app.realm", "--salvage -o copy.realm app.realm"] {
            let run = lab.shell("ulimit -f 64; $C -q \(words) > /dev/null")
            #expect(run.status == 9, "\(words): \(run.status) \(run.errorText)")
        }
        #expect(contents(of: lab.path("app.realm")) == before)
        #expect(lab.hasNoTemporaryFiles && lab.size("copy.realm") < 0)
        for words in ["-n", "--check", "--analyze", "--json -n", "--check -f ndjson"] {
            #expect(lab.shell("$C \(words) app.realm > /dev/full").status == 9, "\(words)")
        }
    }

    @Test func anInterruptedRunLeavesTheOldOrTheNewFile() throws {
        let lab = try CompactLab()
        let digest = lab.digest("app.realm")
        _ = lab.shell("cp app.realm full")
        for i in 0..<20 {
            let run = lab.shell(
                """
                cp full app.realm; $C -q app.realm & sleep 0.0\(i * 3 / 10)\(i * 3 % 10)
                kill -9 $!; wait $! 2>/dev/null; rm -f .realm-tools-*.tmp; $C --check app.realm
                """)
            #expect(run.text.contains(": ok"), "\(run.text)")
            #expect(lab.digest("app.realm") == digest)
        }
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
