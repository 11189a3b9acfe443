import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport
@testable import ToolWrite

/// The FILE argument of the tools: links, replaced files, paths that are not files, and companion
/// files.
@Suite struct FileNameToolTests {
    private let lab = WriteLab()

    init() { _ = lab.makeZoo() }

    private func expect(
        _ script: String, _ status: Int32, _ words: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let run = lab.shell("C=${TOOL%write}compact; V=${TOOL%write}versions; " + script)
        #expect(
            run.status == status && (words.isEmpty || run.errorText.contains(words)),
            "\(run.errorText)\(run.text)",
            sourceLocation: sourceLocation)
    }

    private func count(_ file: String) -> String { lab.shell("$Q -c \(file) Cage").text }

    @Test func linksShareTheLockFile() {
        expect(
            "mkdir sub; ln -s ../zoo.realm sub/link.realm; echo '{}' | $W sub/link.realm Cage", 0)
        expect(
            "test ! -e sub/link.realm.lock && test -e zoo.realm.lock && test -L sub/link.realm", 0)
        expect("$C -q sub/link.realm && test -L sub/link.realm", 0)
        // The file is replaced, not the symbolic link.
        expect(
            "$W -q --create --force --schema-file zoo.json sub/link.realm && test -L sub/link.realm",
            0)
        #expect(count("zoo.realm") == "0\n")
    }

    /// Another process has opened the link without resolving it.
    @Test func linksHeldByAnotherProcessAreRefused() {
        let hold = "ln -s zoo.realm link.realm; exec 9<>link.realm.lock; flock -s 9; "
        for work in ["echo '{}' | $W link.realm Cage", "$C link.realm"] {
            expect(hold + "(exec 9<&-; \(work))", 7, "lock file of its own")
            lab.shell("rm link.realm*").requireSuccess()
        }
        expect(hold + "(exec 9<&-; $Q -c link.realm Cage; $V link.realm)", 0)
    }

    @Test func hardLinksAreRefused() {
        expect("ln zoo.realm other.realm; echo '{}' | $W zoo.realm Cage", 2, "hard links")
        expect("$C zoo.realm", 2, "hard links")
        expect("$Q zoo.realm && $V zoo.realm", 0)
        expect("test ! -e zoo.realm.lock.made; echo '{}' | $W -q --force zoo.realm Cage", 0)
        #expect(count("other.realm") == "1\n")
        expect("$C -q --force zoo.realm", 0)
    }

    /// The second hard link is the backup of a compaction that was killed before it replaced the
    /// file.
    @Test func backupsOfInterruptedCompactionsAreNoHardLinks() {
        expect("ln zoo.realm zoo.realm.old; echo '{}' | $W -q zoo.realm Cage", 0)
        expect("$C -q --backup=.old zoo.realm && test ! zoo.realm -ef zoo.realm.old", 0)
        #expect(count("zoo.realm.old") == "1\n")
        expect("ln zoo.realm zoo.realm.old2; $C -q --backup=.old zoo.realm", 2, "exists")
    }

    @Test(arguments: ["", "--commit-records 1"]) func replacementDuringALoadIsReported(
        _ options: String
    ) {
        let load = """
            mkfifo in; cp zoo.realm other.realm
            $W --ack \(options) --commit-interval 1ms zoo.realm Cage in >acks & exec 3>in
            echo '{}' >&3; while ! grep -q version acks; do :; done
            mv other.realm zoo.realm; echo '{}' >&3; exec 3>&-; wait $!
            """
        expect(load, 7, "replaced")
        #expect(lab.text("acks").split(separator: "\n").count == 1)
        #expect(count("zoo.realm") == "0\n")
    }

    /// The file is replaced between a durable commit and its acknowledgement.
    @Test func replacementBeforeAnAcknowledgementIsReported() throws {
        let words = ["-q", "--ack", lab.path("zoo.realm"), "Cage"]
        let request = try WriteRequest(try OptionParser.parse(WriteTable.table, words[...]))
        let output = try OutputFile(path: lab.path("acks"), force: true)
        let report = try LoadReport(request, input: "-", output, WriteTarget(request))
        try report.committed(PendingCommits.Item(counts: LoadCounts(), version: 2, rejects: []))
        lab.shell("cp zoo.realm other.realm; mv other.realm zoo.realm").requireSuccess()
        let error = #expect(throws: RealmError.self) { try report.flushAcknowledgements() }
        #expect(error?.reason == "replaced")
        try output.commit()
        #expect(lab.text("acks").isEmpty)
    }

    @Test func replacementDuringAWatchIsReported() {
        expect(
            """
            cp zoo.realm other.realm; $Q --watch zoo.realm >seen & while ! test -s seen; do :; done
            mv other.realm zoo.realm; wait $!
            """, 7, "replaced")
    }

    @Test func specialFilesAreRefused() {
        expect("mkfifo odd", 0)
        for work in [
            "$Q odd", "$Q --watch odd", "$Q --diff odd zoo.realm", "echo '{}' | $W odd Cage",
            "$W -n odd Cage </dev/null", "$C odd", "$C --check odd", "$C --at previous -o x odd",
            "$C --salvage -o x odd", "$C --analyze odd", "$V odd", "$V --history odd",
        ] {
            expect(work, 3, "not a regular file")
            expect(work.replacing("odd", with: "."), 3, "is a directory")
        }
    }

    /// A key for a file that is not encrypted is an error in every mode. The key may come from a
    /// pipe.
    @Test func keysForPlainFilesAreRefused() {
        expect("head -c 64 /dev/zero >key; chmod 600 key", 0)
        for work in [
            "$Q -K key", "$Q --watch -K key", "$V -K key", "$V --watch -K key",
            "$V --history -K key", "$C -K key", "$C --check -K key", "$W --drop Tag -K key",
            "$W -n --drop Tag -K <(cat key)", "$Q -K <(cat key)",
        ] { expect(work + " zoo.realm", 5, "not encrypted") }
        expect("$W --create -K key new.realm", 2, "new-encryption-key-file")
    }

    /// The lock file is locked and never initialised: waiting ends at its timeout or by a signal.
    @Test func waitingForAnUninitialisedLockFileTimesOut() {
        let hold = "rm -f zoo.realm.lock; exec 9<>zoo.realm.lock; flock -s 9; "
        for work in ["echo '{}' | $W --wait=10ms zoo.realm Cage", "$C --wait=10ms zoo.realm"] {
            expect(hold + "(exec 9<&-; \(work))", 7, "not ready")
        }
        expect(hold + "(exec 9<&-; $Q zoo.realm && $V zoo.realm && $C --check zoo.realm)", 0)
        expect(hold + "timeout --preserve-status 0.3 $W --wait zoo.realm Cage /dev/null 9<&-", 143)
        expect(hold + "timeout --preserve-status 0.3 $C --wait zoo.realm 9<&-", 143)
    }

    /// If such links were followed, any user with write access to the directory could make a tool
    /// overwrite files of the tool's user.
    @Test func lockFilesThatAreLinksAreRefused() {
        expect("echo precious >victim; rm -f zoo.realm.lock; ln -s victim zoo.realm.lock", 0)
        for work in ["echo '{}' | $W zoo.realm Cage", "$C zoo.realm"] {
            expect(work, 6, "symbolic link")
        }
        expect("$Q zoo.realm && $V zoo.realm && test \"$(cat victim)\" = precious", 0)
        expect("rm zoo.realm.lock; ln victim zoo.realm.lock", 0)
        expect("echo '{}' | $W zoo.realm Cage", 6, "hard links")
        expect("$Q zoo.realm && $V zoo.realm && test \"$(cat victim)\" = precious", 0)
    }
}

extension ToolProcess {
    fileprivate func requireSuccess() { #expect(status == 0, "\(errorText)") }
}
