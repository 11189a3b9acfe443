import Glibc
import Testing

@testable import ToolSupport

/// Tools on encrypted files, run as from a script.
@Suite struct EncryptedToolTests {
    private let scratch = ScratchDirectory()
    private let encrypted = QueryRun.fixture("encrypted/social.realm")
    private let key = QueryRun.fixture("encrypted/key.hex")
    private let plain = QueryRun.social

    /// Copies the key file with permissions for its owner only, which a checkout does not preserve.
    private func ownKey() -> String {
        let hex = ToolProcess.shell("cat \(key)").output
        return scratch.write("own.key", hex, mode: 0o600)
    }

    private func reason(_ tool: String, _ arguments: [String]) -> (String, Int32) {
        let run = ToolProcess.run(tool, ["--json"] + arguments)
        let text = run.errorText
        let part = text.split(separator: "\"reason\":\"").dropFirst().first
        return (part.map { String($0.prefix { $0 != "\"" }) } ?? text, run.status)
    }

    @Test func outputEqualsThatOfThePlainFile() {
        let key = ownKey()
        for options in [["-f", "ndjson"], ["--schema"], ["--digest"], ["--count"]] {
            let classes = options[0] == "-f" ? ["Person"] : []
            let other = ToolProcess.run(
                "realm-query", options + ["-K", key, encrypted] + classes)
            let same = ToolProcess.run("realm-query", options + [plain] + classes)
            #expect(other.errorText == same.errorText)
            #expect(other.text == same.text && other.status == same.status)
        }
        let check = ToolProcess.run("realm-compact", ["--check", "-K", key, encrypted])
        #expect(check.status == 0, "\(check.errorText)\(check.text)")
        let facts = ToolProcess.run(
            "realm-versions", ["-E", "encrypted=true", "--get", "classes", "-K", key, encrypted])
        #expect(facts.status == 0 && facts.text != "" && facts.text != "null\n")
    }

    @Test func aKeyCanBeReadFromAPipe() {
        let run = ToolProcess.shell(
            "$TOOL --count -K <(cat \(key)) \(encrypted) && cat \(key) | $TOOL -K - \(encrypted) "
                + "--wait=1s > /dev/null && $TOOL -K \(ownKey()) - < \(encrypted) > /dev/null")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.errors == [])
    }

    /// Address space reserved for decrypted pages does not exceed limits on memory (`ulimit`).
    @Test(arguments: ["-d 262144", "-v 4000000"])
    func encryptedFilesOpenUnderMemoryLimits(limit: String) {
        let run = ToolProcess.shell(
            "ulimit \(limit) && $TOOL --count -K \(ownKey()) \(encrypted) > /dev/null")
        #expect(run.status == 0, "\(run.errorText)")
    }

    @Test func keyErrorsAreDistinguished() {
        let key = ownKey()
        let wrong = scratch.write("wrong.key", [UInt8](repeating: 7, count: 64), mode: 0o600)
        let bad = scratch.write("bad.key", [UInt8](repeating: 0x31, count: 63), mode: 0o600)
        for (tool, mode) in [
            ("realm-query", []), ("realm-compact", ["--check"]), ("realm-versions", []),
        ] as [(String, [String])] {
            if tool != "realm-versions" {
                #expect(reason(tool, mode + [encrypted]) == ("no-key", 5), "\(tool)")
            }
            #expect(reason(tool, mode + ["-K", wrong, encrypted]) == ("wrong-key", 5), "\(tool)")
            #expect(reason(tool, mode + ["-K", key, plain]) == ("not-encrypted", 5), "\(tool)")
            #expect(reason(tool, mode + ["-K", bad, encrypted]) == ("bad-key-file", 5), "\(tool)")
        }
        let hint = ToolProcess.run("realm-query", ["-K", wrong, encrypted]).errorText
        #expect(hint.contains("this one held 64 raw bytes"), "\(hint)")
    }

    @Test func aReadableKeyFileGivesOneWarning() {
        let hex = ToolProcess.shell("cat \(key)").output
        let open = scratch.write("open.key", hex, mode: 0o644)
        let run = ToolProcess.run("realm-compact", ["--check", "-K", open, encrypted])
        #expect(run.status == 0)
        #expect(run.errorText.split(separator: "\n").count == 1, "\(run.errorText)")
    }

    @Test func plainAndEncryptedFilesAreCompared() {
        let key = ownKey()
        let same = ToolProcess.run("realm-query", ["--diff", encrypted, "-K", key, plain])
        #expect(same.status == 0 && same.output == [], "\(same.errorText)\(same.text)")
        let turned = ToolProcess.run("realm-query", ["--diff", plain, "-K", key, encrypted])
        #expect(turned.status == 0 && turned.output == [], "\(turned.errorText)")
        let none = reason("realm-query", ["--diff", plain, "-K", key, plain])
        #expect(none == ("not-encrypted", 5))
    }

    @Test func recordsAreWrittenToEncryptedFiles() {
        let key = ownKey()
        let path = scratch.path + "/new.realm"
        let records = scratch.write("records", Array("{\"id\":1,\"name\":\"a\"}\n".utf8))
        let make = ToolProcess.run(
            "realm-write",
            ["--create", "--new-encryption-key-file", key, "--infer", path, "Item", records])
        #expect(make.status == 0, "\(make.errorText)")
        let more = scratch.write("more", Array("{\"id\":2,\"name\":\"b\"}\n".utf8))
        for options in [["-n"], []] {
            let run = ToolProcess.run("realm-write", options + ["-K", key, path, "Item", more])
            #expect(run.status == 0, "\(run.errorText)")
        }
        let lines = ToolProcess.run("realm-query", ["-f", "ndjson", "-K", key, path, "Item"])
        #expect(lines.text == "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n")
        #expect(reason("realm-write", [path, "Item", more]) == ("no-key", 5))
        let check = ToolProcess.run("realm-compact", ["--check", "-K", key, path])
        #expect(check.status == 0, "\(check.text)")
        for wrong in [["-K", key, "--create"], ["-K", key, "--new-encryption-key-file", key]] {
            let run = ToolProcess.run("realm-write", wrong + [path, "Item", more])
            #expect(run.status == 2, "\(run.errorText)")
        }
        unlink(path)
        unlink(path + ".lock")
        unlink(path + ".note")
        unlink(path + ".readers")
    }

    /// Estimates of file sizes include whole pages and their metadata blocks.
    @Test func estimatesCountWholePages() {
        let key = ownKey()
        for (options, file) in [
            (["-K", key], encrypted), (["-K", key, "--decrypt"], encrypted),
            (["--new-encryption-key-file", key], plain),
        ] {
            let copy = scratch.path + "/estimated.realm"
            let made = ToolProcess.run("realm-compact", ["-q"] + options + ["-o", copy, file])
            #expect(made.status == 0, "\(made.errorText)")
            let run = ToolProcess.run("realm-compact", ["-n", "--json"] + options + [file])
            let size = contents(of: copy)?.count ?? -1
            #expect(run.text.contains("\"estimatedBytes\":\(size),"), "\(run.text)\(run.errorText)")
            unlink(copy)
        }
    }

    @Test func compactionChangesTheKey() {
        let key = ownKey()
        let other = scratch.write("other.key", [UInt8](repeating: 9, count: 64), mode: 0o600)
        func digest(_ path: String, _ key: String?) -> String {
            let options = key.map { ["-K", $0] } ?? []
            let run = ToolProcess.run("realm-query", ["--digest"] + options + [path])
            #expect(run.status == 0, "\(run.errorText)")
            return run.text
        }
        func compact(_ arguments: [String]) {
            let run = ToolProcess.run("realm-compact", ["-q"] + arguments)
            #expect(run.status == 0, "\(arguments): \(run.errorText)")
        }
        let truth = digest(plain, nil)
        let (a, b) = (scratch.path + "/a.realm", scratch.path + "/b.realm")
        compact(["--new-encryption-key-file", key, "-o", a, plain])
        #expect(digest(a, key) == truth)
        compact(["-K", key, "-o", b, a])
        #expect(digest(b, key) == truth)
        compact(["-K", key, "--new-encryption-key-file", other, b])
        #expect(digest(b, other) == truth)
        #expect(reason("realm-query", ["-K", key, b]) == ("wrong-key", 5))
        compact(["-K", other, "--backup", b])
        #expect(digest(b + ".bak", other) == truth)
        compact(["-K", other, "--decrypt", b])
        #expect(digest(b, nil) == truth)
        compact(["--new-encryption-key-file", key, b])
        #expect(digest(b, key) == truth)
        compact(["-K", key, "--dry-run", b])
        compact(["-K", key, "--salvage", "-o", scratch.path + "/c.realm", b])
        #expect(digest(scratch.path + "/c.realm", key) == truth)
        #expect(reason("realm-compact", [b]) == ("no-key", 5))
        let secret = ToolProcess.shell("grep -l Oslo \(scratch.path)/*.realm* | wc -l")
        #expect(secret.text == "0\n")
        _ = ToolProcess.shell("rm -f \(scratch.path)/*.realm*")
    }
}
