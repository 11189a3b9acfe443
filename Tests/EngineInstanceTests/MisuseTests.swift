import Glibc
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Programmer errors that end the process, and their messages.
@Suite struct MisuseTests {
    @Test func theMisuseHandlerCanBeReplaced() async {
        let result = await #expect(
            processExitsWith: .exitCode(42), observing: [\.standardErrorContent]
        ) {
            Misuse.replaceHandler { message in
                let words = "told: \(message)\n"
                _ = write(STDERR_FILENO, words, words.utf8.count)
                exit(42)
            }
            let instance = try InstanceLab().open()
            instance.cancelWrite()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("told: Can't cancel a non-existing write transaction"))
    }

    /// Truncates the file of an open instance, then reads it.
    private static func readTruncated() throws {
        let lab = try InstanceLab()
        let instance = try lab.open()
        try instance.write { (_) throws(RealmError) in
            for i in 0..<20_000 { _ = try lab.add(instance, age: Int64(i) << 40) }
        }
        truncate(lab.path, 4096)
        _ = try instance.snapshot().table(lab.table).keys()
    }

    @Test func truncationOfAMappedFileIsReported() async {
        let result = await #expect(
            processExitsWith: .signal(SIGBUS), observing: [\.standardErrorContent]
        ) { try Self.readTruncated() }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("was truncated while it was being read: /"))
        #expect(said.contains("instance.realm\n"))
    }

    @Test func theTruncationTrapCanBeDeclined() async {
        let result = await #expect(
            processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
        ) {
            TruncationTrap.disable()
            signal(SIGBUS) { _ in _exit(7) }
            try Self.readTruncated()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!said.contains("truncated"))
    }

    /// Faults outside of the mapping are passed to the previous signal handler.
    @Test func otherFaultsReachThePreviousHandler() async {
        await #expect(processExitsWith: .exitCode(8)) {
            signal(SIGBUS) { _ in _exit(8) }
            let instance = try InstanceLab().open()
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            let file = try #require(tmpfile())
            ftruncate(fileno(file), off_t(page))
            let there = try #require(mmap(nil, page, PROT_READ, MAP_SHARED, fileno(file), 0))
            ftruncate(fileno(file), 0)
            _ = there.load(as: UInt8.self)
            instance.close()
        }
    }
}
