import Glibc
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Creation of files: by `--create`, by failing commands, and the permissions of new files.
@Suite struct CreationTests {
    private let lab = WriteLab()

    private func mode(_ name: String) -> String {
        var status = stat()
        guard lstat(lab.path(name), &status) == 0 else { return "none" }
        return String(status.st_mode & 0o777, radix: 8)
    }

    /// Without `--create`, an empty file is not a database and stays unchanged.
    @Test(arguments: [
        "$W empty.realm A /dev/null", "$W --where TRUEPREDICATE --delete empty.realm A",
        "$W --schema-version 3 empty.realm", "$W -n empty.realm A /dev/null", "$Q empty.realm",
        "${W%write}versions empty.realm", "${W%write}compact empty.realm",
        "${W%write}compact --check empty.realm", "${W%write}compact -o x.realm empty.realm",
        "${W%write}compact --salvage -o x.realm empty.realm",
    ])
    func emptyFileIsNoDatabase(_ command: String) {
        lab.write("empty.realm", "")
        let result = lab.shell(command)
        #expect(result.status == 3, "\(result.errorText)")
        #expect(result.errorText.contains("empty"), "\(result.errorText)")
        #expect(lab.text("empty.realm") == "")
        #expect(
            lab.scratch.entries.allSatisfy { ["empty.realm", "empty.realm.lock"].contains($0) },
            "\(lab.scratch.entries)")
    }

    @Test func failedCreationLeavesNoFile() {
        lab.write("in.ndjson", "{\"a\":1}\n{\"a\":\"x\"}\n")
        for options in ["--infer=1", "--infer=1 -1"] {
            let failed = lab.shell("$W --create \(options) new.realm A in.ndjson")
            #expect(failed.status == 8, "\(failed.errorText)")
            #expect(lab.scratch.entries == ["in.ndjson"])
        }
        let again = lab.shell("$W -q --create --infer new.realm A in.ndjson")
        #expect(again.status == 0, "\(again.errorText)")
        #expect(lab.shell("$Q -c new.realm A").text == "2\n")
    }

    /// Acknowledged records stay after a failure.
    @Test func failedCreationKeepsCommittedRecords() {
        lab.write("in.ndjson", "{\"a\":1}\n{\"a\":2}\n{\"a\":\"x\"}\n")
        let failed = lab.shell(
            "$W --create --infer=2 --commit-records 1 --ack new.realm A in.ndjson")
        #expect(failed.status == 8, "\(failed.errorText)")
        #expect(failed.text.split(separator: "\n").count == 2, "\(failed.text)")
        #expect(lab.shell("$Q -c new.realm A").text == "2\n")
    }

    @Test func interruptedCreationLeavesNoFile() {
        lab.write("s.json", #"{"classes":[{"name":"A","properties":[{"name":"a","type":"int"}]}]}"#)
        for options in ["", "--force"] {
            let script = """
                mkfifo in 2>/dev/null
                $W --create \(options) --schema-file s.json new.realm A in & W=$!
                exec 3> in
                until [ -e new.realm.lock ] || ls -d .realm-tools-* 2>/dev/null; do :; done
                kill -TERM $W; wait $W; echo $?
                """
            let result = lab.shell(script)
            #expect(result.text.hasSuffix("143\n"), "\(result.text) \(result.errorText)")
            unlink(lab.path("in"))
            #expect(lab.scratch.entries == ["s.json"], "\(lab.scratch.entries)")
        }
    }

    /// The old file stays until the new one is complete, and acknowledgements are held back until
    /// then.
    @Test func failedReplacementLeavesTheOldFile() {
        #expect(lab.makeZoo().status == 0)
        let before = contents(of: lab.path("zoo.realm"))
        lab.write("in.ndjson", "{\"a\":1}\n{\"a\":\"x\"}\n")
        let failed = lab.shell(
            "$W --create --force --infer=1 --ack --commit-records 1 zoo.realm A in.ndjson")
        #expect(failed.status == 8, "\(failed.errorText)")
        #expect(failed.text == "")
        #expect(contents(of: lab.path("zoo.realm")) == before)
        #expect(lab.scratch.entries.filter { $0.hasPrefix(".realm-tools") } == [])
        lab.write("in.ndjson", "{\"a\":1}\n{\"a\":2}\n")
        let done = lab.shell(
            "$W --create --force --infer --ack --commit-records 1 zoo.realm A in.ndjson")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.text.split(separator: "\n").count == 2)
        #expect(lab.scratch.entries.filter { $0.hasPrefix(".realm-tools") } == [])
        #expect(lab.shell("$Q -c zoo.realm A").text == "2\n")
    }

    // MARK: Permissions

    @Test(arguments: ["600", "640", "664"]) func copiesHaveThePermissionsOfTheDatabase(
        _ rights: String
    ) {
        #expect(lab.makeZoo().status == 0)
        let result = lab.shell(
            """
            umask 027; rm -rf zoo.realm.*; chmod \(rights) zoo.realm; C=${W%write}compact
            : > taken; chmod 666 taken
            $C -q -o copy.realm zoo.realm && $C -q --salvage -o saved.realm zoo.realm &&
            $C -q --force -o taken zoo.realm && $C -q zoo.realm &&
            echo '{"id":1,"weight":2}' | $W -q zoo.realm Animal
            """)
        #expect(result.status == 0, "\(result.errorText)")
        for name in ["copy.realm", "saved.realm", "taken", "zoo.realm", "zoo.realm.lock"] {
            #expect(mode(name) == rights, "\(name)")
        }
        #expect(mode("zoo.realm.management/readers") == rights)
        let replaced = lab.shell("$W -q --create --force --schema-file zoo.json zoo.realm")
        #expect(replaced.status == 0, "\(replaced.errorText)")
        #expect(mode("zoo.realm") == rights)
    }

    /// Exports have the default permissions of new files.
    @Test func exportsHaveDefaultPermissions() {
        #expect(lab.makeZoo().status == 0)
        let result = lab.shell(
            "chmod 600 zoo.realm; umask 027; $Q -o out.csv -f csv zoo.realm Animal")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(mode("out.csv") == "640")
    }

    // MARK: Killed processes

    /// Temporary files of killed processes are deleted when a process needs a temporary name. Files
    /// of running processes and other files stay.
    @Test func temporaryFilesOfDeadProcessesAreDeleted() {
        #expect(lab.makeZoo().status == 0)
        _ = lab.shell("mkdir .realm-tools-4194303-1.tmp; : > .realm-tools-4194303-1.tmp/new.realm")
        for name in [".realm-tools-4194302-7.tmp", ".realm-tools-x-1.tmp", "a.tmp"] {
            lab.write(name, "left")
        }
        lab.write(".realm-tools-4194301-2.tmp", "held")
        let result = lab.shell(
            """
            exec 9< .realm-tools-4194301-2.tmp; flock 9
            $W -q --create --force --schema-file zoo.json zoo.realm
            """)
        #expect(result.status == 0, "\(result.errorText)")
        let left = lab.scratch.entries.filter { $0.hasSuffix(".tmp") }
        #expect(left == [".realm-tools-4194301-2.tmp", ".realm-tools-x-1.tmp", "a.tmp"])
    }

    /// A temporary output never outlives its process, at whatever time the process is killed.
    @Test func killedCopiesLeaveNoFile() {
        #expect(lab.makeZoo().status == 0)
        let result = lab.shell(
            """
            C=${W%write}compact
            for i in 1 2 3 4 5 6 7 8 9 10; do
                $C -q --force -o copy.realm zoo.realm & P=$!
                sleep 0.00$i; kill -9 $P; wait $P 2>/dev/null
            done
            $C -q --force -o copy.realm zoo.realm && $C --check=quick copy.realm
            """)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(lab.scratch.entries.filter { $0.hasPrefix(".realm") } == [])
    }
}

/// Changes applied to an empty database.
@Suite struct ChangesToEmptyDatabaseTests {
    private let lab = WriteLab()

    @Test(arguments: [
        "(timeout 20 $Q --watch --initial zoo.realm > changes.ndjson & "
            + "until grep -q ready changes.ndjson; do sleep 0.05; done; kill $!)",
        "$Q --diff zoo.realm empty.realm > changes.ndjson",
    ])
    func changesCreateTheirSchema(records: String) {
        _ = lab.makeZoo()
        lab.write("in.ndjson", #"{"id":1,"friends":[1],"tag":{"text":"t"}}"# + "\n")
        #expect(lab.shell("$W -q zoo.realm Animal in.ndjson").status == 0)
        lab.write("empty.json", #"{"schemaVersion":0,"classes":[]}"#)
        #expect(lab.shell("$W -q --create --schema-file empty.json empty.realm").status == 0)
        _ = lab.shell("touch changes.ndjson; " + records)
        let made = lab.shell("$W -q -m apply --create new.realm - changes.ndjson")
        #expect(made.status == 0, "\(made.errorText)")
        let difference = lab.shell("$Q --diff zoo.realm new.realm")
        #expect(difference.status == 0 && difference.text == "")
    }

    @Test func aFailedChangeLeavesNoFile() {
        lab.write(
            "c.ndjson",
            #"{"op":"insert","version":1,"class":"C","key":1,"object":{"_id":1}}"# + "\n")
        #expect(lab.shell("$W -q -m apply --create new.realm - c.ndjson").status == 8)
        #expect(lab.shell("ls new.realm*").status != 0)
    }
}
