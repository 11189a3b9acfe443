import Testing

@testable import ToolSupport

/// `--to-format 24` and `--local`: files of old formats, and of synchronised databases, made anew.
@Suite struct ConversionToolTests {
    /// A scratch directory with a file of the fixtures as `old.realm`.
    private static func lab(_ name: String) throws -> CompactLab {
        let lab = try CompactLab()
        let file = QueryRun.fixture("legacy/\(name).realm")
        let run = lab.shell("cp '\(file)' old.realm && chmod 644 old.realm")
        #expect(run.status == 0, "\(run.errorText)")
        return lab
    }

    @Test(arguments: ["f2-sdk", "f7-sdk", "f9-enum-1010-keys"])
    func writesAFileOfToday(_ name: String) throws {
        let lab = try Self.lab(name)
        let run = lab.shell(
            """
            sha256sum old.realm > before
            $C --to-format 24 -o new.realm old.realm || exit
            sha256sum -c --quiet before || exit
            ${C%compact}versions -g format new.realm
            ${C%compact}query --digest old.realm > a; ${C%compact}query --digest new.realm > b
            cmp a b && $C --check --strict new.realm > /dev/null && echo same
            """)
        #expect(run.text == "24\nsame\n", "\(run.errorText)")
    }

    /// In place only with leave, and never without the old file beside the new one.
    @Test func keepsTheOldFile() throws {
        let lab = try Self.lab("f9-sdk-compacted")
        let run = lab.shell(
            """
            cp old.realm kept
            $C --to-format 24 old.realm 2> /dev/null; echo $?
            cmp old.realm kept && ls | grep -c bak
            $C -q --to-format 24 --force old.realm; echo $?
            cmp old.realm.bak kept && ${C%compact}versions -g format old.realm
            cp kept old.realm
            $C -q --to-format 24 --backup=.v-old --force old.realm; echo $?
            cmp old.realm.v-old kept && ${C%compact}versions -g format old.realm
            """)
        #expect(run.text == "6\n0\n0\n24\n0\n24\n", "\(run.errorText)")
    }

    @Test func makesLocalFilesOfSynchronisedOnes() throws {
        let lab = try Self.lab("historic-f9-sync-oid")
        let refused = lab.shell("$C --to-format 24 -o new.realm old.realm")
        #expect(refused.status == 6 && refused.errorText.contains("--local"))
        let run = lab.shell(
            """
            $C -q --local -o new.realm old.realm || exit
            ${C%compact}versions -g format -g history new.realm
            ${C%compact}query --digest old.realm > a; ${C%compact}query --digest new.realm > b
            cmp a b && echo same
            """)
        #expect(run.text.hasSuffix("same\n") && run.text.hasPrefix("24\n"), "\(run.text)")
        #expect(!run.text.contains("sync"))
    }

    /// What cannot be done with an old file comes with the command that helps.
    @Test func othersNameTheCommand() throws {
        let lab = try Self.lab("f7-sdk")
        for command in [
            "$C -o new.realm old.realm", "$C old.realm", "$C --analyze old.realm",
            "echo '{}' | ${C%compact}write old.realm Person",
        ] {
            let run = lab.shell(command)
            #expect(run.status == 6, "\(command): \(run.status) \(run.errorText)")
            #expect(
                run.errorText.contains("realm-compact --to-format 24 -o NEW FILE"), "\(command)")
        }
        let versions = lab.shell("${C%compact}versions old.realm")
        #expect(versions.text.contains("2017-03 to 2017-09"))
        #expect(versions.text.contains("--to-format 24"))
    }
}
