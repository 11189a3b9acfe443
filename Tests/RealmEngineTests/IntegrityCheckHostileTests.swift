import Testing

@testable import EngineSupport
@testable import RealmEngine

/// No damage makes the check crash, hang or throw, and the check reports all damage that readers
/// report.
@Suite struct IntegrityCheckHostileTests {
    static let shardCount = 8
    static let count = HostileFileTests.count / 10

    @Test(arguments: 0..<shardCount)
    func damagedFilesAreCheckedSafely(_ shard: Int) throws {
        try #require(!HostileFileTests.sources.isEmpty)
        for index in stride(from: shard, to: Self.count, by: Self.shardCount) { check(index) }
    }

    /// A long string whose value is a node of another kind, in which the bytes that would be the
    /// last element are the width, not the count. The node is the end of the file.
    @Test func aLongStringThatIsNoBlobIsReported() throws {
        let bytes = CraftedFile.ending(0, count: 0xFF_FFFF, []) { file, value in
            let leaf = file.words(CraftedFile.refs | CraftedFile.context, [value])
            let root = file.cluster(count: 1, [leaf])
            file.table("class_A", [.init(name: "s", type: .string)], root: root)
        }
        let report = try bytes.withUnsafeBytes {
            try IntegrityCheck.run(try MappedFile(copying: $0, path: "crafted"))
        }
        #expect(report.counts[.stringForm] == 1)
    }

    private func check(_ index: Int) {
        let (name, file) = HostileFileTests.mutated(index)
        let outcome = HostileCase.read(file.bytes)
        do {
            let report = try file.bytes.withUnsafeBytes {
                try IntegrityCheck.run(try MappedFile(copying: $0, path: "hostile"))
            }
            guard let error = outcome.error, error.kind == .corrupt, report.errorCount == 0
            else { return }
            Issue.record(
                """
                seed \(HostileFileTests.seed), case \(index), \(name): nothing found
                \(error.message)
                \(file.story.joined(separator: ", "))
                """)
        } catch {
            let kind = (error as? RealmError)?.kind
            // A file that says it is of another format is neither read nor checked.
            let isOther = kind == .incompatible && outcome.error?.kind == .incompatible
            #expect(kind == .input || isOther, "\(error)")
        }
    }
}
