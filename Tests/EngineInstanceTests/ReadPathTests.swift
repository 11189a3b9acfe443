import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Overhead of reading through an instance.
@Suite struct ReadPathTests {
    /// Reading succeeds while another thread holds every lock of the database.
    @Test("THR-03 THR-90: reading takes no lock") func readingTakesNoLock() throws {
        let lab = try InstanceLab()
        let other = try lab.open()
        try other.write { (_) throws(RealmError) in
            for i in 0..<1000 { _ = try lab.add(other, age: Int64(i)) }
        }
        let (queue, diary) = (WorkQueue("reader"), Diary())
        let box = Unchecked(Kept())
        queue.sync {
            box.value.instance = try! lab.open(on: queue.confinement)
            _ = box.value.instance!.snapshot()
        }
        let database = other.database
        let file = try #require(database.session).file
        try other.beginWrite()
        try file.controlMutex.withLock { () throws(RealmError) in
            try file.versionMutex.withLock { () throws(RealmError) in
                database.versions.withLock { _ in
                    queue.async { diary.note(Self.sum(box.value.instance!, lab.table)) }
                    diary.wait(for: 1)
                }
            }
        }
        other.cancelWrite()
        #expect(diary.all == ["499500"])
        queue.sync { box.value.instance = nil }
        queue.close()
        try lab.audit()
    }

    private final class Kept {
        var instance: Instance?
    }

    private static func sum(_ instance: Instance, _ key: TableKey) -> String {
        do {
            let table = try instance.snapshot().table(key)
            var sum: Int64 = 0
            for key in try table.keys() {
                if case .int(let age)? = try table.row(key)?.value(0) { sum += age }
            }
            return "\(sum)"
        } catch { return "\(error)" }
    }

    /// Time of a confinement check; printed in the scaled run.
    @Test("CD-06: the check of the thread takes little time") func confinementChecksTakeLittleTime()
        throws
    {
        let lab = try InstanceLab()
        let instance = try lab.open()
        let count = ModelShapes.scale > 1 ? 100_000_000 : 1000
        let time = ContinuousClock().measure {
            for _ in 0..<count { instance.check() }
        }
        if ModelShapes.scale > 1 { print("one check takes \(time / count)") }
        instance.close()
        try lab.audit()
    }
}
