import RealmEngine
import Testing

@testable import ToolSupport

/// Records that delete objects, which are deleted together at the end of a transaction.
@Suite struct DeleteRecordTests {
    private let lab = WriteLab()

    init() {
        let run = lab.makeZoo()
        #expect(run.status == 0, "\(run.errorText)")
        lab.write("animals", (1...2000).map { "{\"id\":\($0),\"name\":\"a\"}\n" }.joined())
        #expect(lab.shell("$W -q zoo.realm Animal animals").status == 0)
    }

    private var ids: String { lab.shell("$Q -q -F id -f csv --no-header zoo.realm Animal").text }

    /// Deletes exactly the named objects, in any order.
    @Test(arguments: ["-1", ""]) func deletesTheNamedObjects(_ option: String) throws {
        var random = SeededRandom(seed: 5)
        let doomed = (1...2000).filter { _ in Bool.random(using: &random) }
        lab.write(
            "doomed", doomed.shuffled(using: &random).map { "{\"id\":\($0)}\n" }.joined())
        let run = lab.shell("$W -q \(option) -m delete zoo.realm Animal doomed")
        #expect(run.status == 0, "\(run.errorText)")
        let gone = Set(doomed)
        let left = (1...2000).filter { !gone.contains($0) }
        let found = ids.split(whereSeparator: \.isNewline).compactMap { Int($0) }
        #expect(found.sorted() == left)
        #expect(try IntegrityCheck.run(path: lab.path("zoo.realm")).isClean)
    }

    /// An object that an earlier record of the transaction deletes does not exist any more.
    @Test func secondDeletionIsRefused() throws {
        lab.write("doomed", "{\"id\":1}\n{\"id\":2}\n{\"id\":1}\n{\"id\":3}\n")
        let stopped = lab.shell("$W -q -1 -m delete zoo.realm Animal doomed")
        #expect(stopped.status == 8)
        #expect(stopped.errorText.contains("record 3"))
        #expect(lab.shell("$Q -c zoo.realm Animal").text == "2000\n")
        let skipped = lab.shell("$W -q --on-error skip -m delete zoo.realm Animal doomed")
        #expect(skipped.status == 8)
        #expect(lab.shell("$Q -c zoo.realm Animal").text == "1997\n")
        #expect(try IntegrityCheck.run(path: lab.path("zoo.realm")).isClean)
    }
}
