import Glibc
import Testing

@testable import RealmEngine
@testable import ToolSupport

/// Recipes of the tools' manual that use `realm-compact` and `realm-versions`, run as written
/// except for file names.
@Suite struct RecipeTests {
    /// Creates a seed file with schema version 7 by the recipe for seed files, not compacted.
    private static let seed = """
        echo '{"schemaVersion":7,"classes":[{"name":"Word","properties":[
            {"name":"text","type":"string"}]}]}' > schema.json
        $W -q --create --schema-file schema.json Seed.realm
        for i in $(seq 200); do echo "{\\"text\\":\\"word $i of the seed\\"}"; done |
            $W -q Seed.realm Word -
        """

    private func run(_ script: String, _ lab: CompactLab) -> ToolProcess {
        lab.shell("PATH=${C%/*}:$PATH; " + script)
    }

    /// Recipe 3: a bundled file has schema version 7, and is unencrypted, compact and undamaged.
    @Test func recipe3ChecksABundledFile() throws {
        let lab = try CompactLab()
        let gate = """
            realm-versions -E schema-version=7 -E 'format<=24' -E encrypted=false -E compact=true \
            Seed.realm && realm-compact --check --strict Seed.realm
            """
        let before = run(Self.seed + "\n" + gate, lab)
        #expect(before.status == 1, "\(before.text)\(before.errorText)")
        #expect(before.errorText.contains("expected compact=true, found false"))
        let after = run("realm-compact -q Seed.realm; " + gate, lab)
        #expect(after.status == 0, "\(after.errorText)")
        #expect(after.text.hasPrefix("Seed.realm: ok (format 24, "))
        let other = run(gate.replacing("version=7", with: "version=8"), lab)
        #expect(other.status == 1 && other.text.isEmpty)
        // A leaf of texts loses its signature, which is a warning that --strict counts.
        let database = try Database(immutable: lab.path("Seed.realm"))
        let info = try #require(database.schema.table(named: "Word"))
        lab.damage("Seed.realm", at: Int(info.root.raw), 0x40)
        #expect(run(gate, lab).status == 1)
    }

    /// Recipe 6: find the process that pins an old version, and raise an alarm.
    @Test(.enabled(if: ToolProcess.has("jq"))) func recipe6FindsTheProcessThatPinsAVersion()
        throws
    {
        let lab = try CompactLab()
        let session = try WriteSession(path: lab.path("app.realm"))
        let held = session.database.snapshot()
        for _ in 0..<3 {
            let transaction = try session.begin()
            let note = try #require(transaction.table(named: "Note"))
            for id in 0..<500 {
                if let key = try transaction.find(
                    in: note, primaryKey: .int(Int64(2 * id + 1)))
                {
                    try transaction.remove(note, key)
                    _ = try transaction.create(in: note, primaryKey: .int(Int64(2 * id + 1)))
                }
            }
            try transaction.commit()
        }
        let who = run(
            """
            realm-versions --json app.realm | jq -r '.versions[] | select(.behind>0) | \
            "\\(.version) frees \\(.releasedBytes) held by \\(.candidates)"'
            """, lab)
        #expect(who.status == 0, "\(who.errorText)")
        let words = who.text.split(whereSeparator: { $0 == " " || $0 == "\n" })
        try #require(words.count == 6, "\(who.text)")
        #expect(words[0] == "\(held.version)" && words[5] == "[\(getpid())]")
        #expect(try #require(Int(words[2])) > 10_000)
        let alarm = "realm-versions -E 'pinned-percent<=2' app.realm || echo notify-ops"
        #expect(run(alarm, lab).text == "notify-ops\n")
        withExtendedLifetime(held) {}
        #expect(
            run(alarm.replacing("<=2", with: "<=99"), lab).text.isEmpty)
        withExtendedLifetime(session) {}
    }

    /// Recipe 7: shrink a large file safely, with limited memory and only if worthwhile; and copy
    /// it while a program has it open.
    @Test func recipe7ShrinksALargeFile() throws {
        let lab = try CompactLab()
        let size = lab.size("app.realm")
        let digest = lab.digest("app.realm")
        let no = run(
            "realm-compact --if-free 90% --max-memory 64MiB --backup --wait=60s app.realm", lab)
        #expect(no.status == 0 && no.errorText.contains("not needed"))
        #expect(lab.size("app.realm") == size && lab.size("app.realm.bak") < 0)
        let yes = run(
            "realm-compact --if-free 30% --max-memory 64MiB --backup --wait=60s app.realm", lab)
        #expect(yes.status == 0, "\(yes.errorText)")
        #expect(lab.size("app.realm.bak") == size && lab.size("app.realm") < size)
        let session = try WriteSession(path: lab.path("app.realm"))
        #expect(run("realm-compact -o app.new.realm app.realm", lab).status == 0)
        withExtendedLifetime(session) {}
        for name in ["app.realm", "app.realm.bak", "app.new.realm"] {
            #expect(lab.digest(name) == digest, "\(name)")
        }
    }

    /// Recipe 14: reading evidence changes nothing.
    @Test func recipe14ReadsWithoutChanges() throws {
        let lab = try CompactLab()
        let read = run(
            """
            rm -rf app.realm.*; cp app.realm x.realm; ls -l --time-style=full-iso x.realm > before
            sha256sum x.realm
            realm-query --access immutable --at previous --all x.realm > prev.ndjson || echo failed
            sha256sum x.realm; ls -l --time-style=full-iso x.realm > after; cmp before after
            ls; wc -l < prev.ndjson
            """, lab)
        let lines = read.text.split(separator: "\n")
        try #require(lines.count >= 2, "\(read.text)\(read.errorText)")
        #expect(lines[0] == lines[1])
        #expect(
            lines[2...].joined(separator: " ")
                == "after app.realm before prev.ndjson x.realm 4000", "\(read.text)")
    }

    /// Recipe 15: rescue a file with the script of the manual. An intact file is not rescued.
    @Test func recipe15RescuesACorruptFile() throws {
        let lab = try CompactLab()
        let script = """
            realm-compact --check broken.realm > found; [ $? -eq 4 ] &&
            realm-compact --salvage -o rescued.realm broken.realm > lost.ndjson
            """
        let sound = run("cp app.realm broken.realm; " + script, lab)
        #expect(sound.status == 1 && lab.size("rescued.realm") < 0)
        let database = try Database(immutable: lab.path("app.realm"))
        let info = try #require(database.schema.table(named: "Note"))
        // A wrong child ref in the inner node of the objects' tree.
        lab.damage("broken.realm", at: Int(info.root.raw) + 8 + 12, 0x11)
        let broken = run(script, lab)
        #expect(broken.status == 4, "\(broken.status) \(broken.errorText)")
        #expect(run("realm-compact --check --strict rescued.realm", lab).status == 0)
        #expect(try #require(contents(of: lab.path("lost.ndjson"))).count > 0)
    }
}
