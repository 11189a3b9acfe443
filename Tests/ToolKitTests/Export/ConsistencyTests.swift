import Glibc
import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport

/// Reading a file to which other processes commit: all output comes from a single version.
@Suite struct ConsistencyTests {
    private let scratch = ScratchDirectory()
    private let path: String

    init() {
        path = scratch.write("a.realm", contents(of: QueryRun.social) ?? [])
    }

    /// Changes the header as a commit does: selects the other slot.
    private func commit() {
        let descriptor = open(path, O_RDWR)
        var flags: UInt8 = 0
        pread(descriptor, &flags, 1, 23)
        flags ^= 1
        // Both slots get the same root, so that the file stays valid.
        var top: UInt64 = 0
        pread(descriptor, &top, 8, off_t(flags & 1 == 0 ? 8 : 0))
        pwrite(descriptor, &top, 8, off_t(flags & 1 == 0 ? 0 : 8))
        var format: UInt8 = 0
        pread(descriptor, &format, 1, off_t(flags & 1 == 0 ? 21 : 20))
        pwrite(descriptor, &format, 1, off_t(flags & 1 == 0 ? 20 : 21))
        pwrite(descriptor, &flags, 1, 23)
        close(descriptor)
    }

    private func command(_ arguments: String...) throws -> ParsedCommand {
        try OptionParser.parse(
            QueryTable.table, (arguments + [path])[...], posixlyCorrect: false)
    }

    @Test func aCommitBeforeAFlushIsDetected() throws {
        let database = try Database(immutable: path)
        let output = try OutputFile(path: scratch.file("out"), force: false)
        let verified = VerifiedOutput(output, database)
        var buffer = ByteBuffer()
        buffer.append("first")
        try verified.flush(&buffer)
        buffer.append("second")
        commit()
        #expect(throws: RealmError.self) { try verified.flush(&buffer) }
        #expect(output.written == 5)
    }

    @Test func recordsAreReadAgainAfterACommit() throws {
        let output = try OutputFile(path: scratch.file("out"), force: false)
        var rounds = 0
        let reading = DatabaseReading(try command())
        try reading.read(to: output) { (database) throws(RealmError) in
            rounds += 1
            var buffer = ByteBuffer()
            buffer.append("round \(rounds)")
            try VerifiedOutput(output, database).flush(&buffer)
            if rounds < 3 { commit() }
            try VerifiedOutput(output, database).flush(&buffer)
        }
        try output.commit()
        #expect(rounds == 3)
        #expect(contents(of: scratch.file("out")) == Array("round 3".utf8))
    }

    @Test func readingFailsAfterThreeTries() throws {
        let output = try OutputFile(path: scratch.file("out"), force: false)
        var rounds = 0
        let reading = DatabaseReading(try command())
        let error = #expect(throws: RealmError.self) {
            try reading.read(to: output) { (database) throws(RealmError) in
                rounds += 1
                commit()
                // Bytes that change during reading look like damage.
                throw RealmError.corrupt("overwritten", in: "node")
            }
        }
        #expect(rounds == 3)
        #expect(error?.kind == .busy)
    }

    @Test func waitingPermitsMoreTries() throws {
        let output = try OutputFile(path: scratch.file("out"), force: false)
        var rounds = 0
        let reading = DatabaseReading(try command("--wait=1m"))
        try reading.read(to: output) { (database) throws(RealmError) in
            rounds += 1
            if rounds < 6 { commit() }
            var buffer = ByteBuffer()
            try VerifiedOutput(output, database).flush(&buffer)
        }
        #expect(rounds == 6)
    }

    @Test func errorsWithoutACommitAreDamage() throws {
        let output = try OutputFile(path: scratch.file("out"), force: false)
        var rounds = 0
        let reading = DatabaseReading(try command())
        let error = #expect(throws: RealmError.self) {
            try reading.read(to: output) { (_) throws(RealmError) in
                rounds += 1
                throw RealmError.corrupt("a bad node", in: "node")
            }
        }
        #expect(rounds == 1)
        #expect(error?.kind == .corrupt)
    }
}
