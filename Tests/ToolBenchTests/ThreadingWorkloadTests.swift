import RealmEngine
import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// Workloads that measure the guarantees of the threading rules. The tests check that the right
/// operations are counted, not their speed.
@Suite struct ThreadingWorkloadTests {
    private func result(
        _ name: String, num: Int, readers: Int = 1, writers: Int = 1
    ) throws -> WorkloadResult {
        let scratch = ScratchDirectory()
        var setting = BenchSetting()
        setting.isGenerated = true
        setting.directory = scratch.path
        (setting.num, setting.readers, setting.writers) = (num, readers, writers)
        setting.runs = 2
        setting.warmup = .zero
        setting.isDurable = false
        let plan = try #require(WorkloadCatalogue.installed.named(name))
        return try #require(try BenchRunner(setting: setting, workloads: [plan]).run().first)
    }

    @Test("THR-01: lateness of a thread's ticks while large transactions are written")
    func ticksAreMeasuredDuringLargeTransactions() throws {
        // Two writers with one transaction each, which together change every object.
        let busy = try result("tickwhilewriting", num: 300, writers: 2)
        let idle = try result("tickwhileidle", num: 300)
        for result in [busy, idle] {
            #expect(result.runs.allSatisfy { $0.operations == 20 })
            #expect(result.latencies.count == 40)
            #expect(result.latencies.maximum > 0)
        }
        #expect(busy.storage(\.commits) == 2)
        #expect(busy.storage(\.logicalBytes) == 300 * 8)
        let note = try #require(busy.note)
        #expect(note.hasSuffix("of 20 ticks came while a transaction was being written"))
        #expect(idle.storage(\.commits) == 0 && idle.note == nil)
    }

    @Test("ACT-26: lateness of ticks while the same thread changes every object")
    func ticksAreMeasuredDuringWritesOfTheThread() throws {
        let result = try result("tickandwrite", num: 10_000)
        #expect(result.runs.allSatisfy { $0.operations == 100 })
        let note = try #require(result.note)
        #expect(note.hasSuffix("of 100 ticks came while a transaction was being written"))
    }

    @Test("THR-02: readers with and without a writer")
    func readersAreMeasuredWithAndWithoutAWriter() throws {
        let busy = try result("readwhilewriting", num: 3000, readers: 3)
        let idle = try result("readwhileidle", num: 3000, readers: 3)
        for result in [busy, idle] {
            #expect(result.runs.allSatisfy { $0.operations == 3000 })
            #expect(result.latencies.count == 6000)
            #expect(result.note?.contains("read ") == true)
        }
        #expect(busy.storage(\.commits) == 3)
        #expect(idle.storage(\.commits) == 0)
    }

    @Test("THR-05: readers with and without a mutex")
    func readersAreMeasuredWithAndWithoutAMutex() throws {
        for name in ["readlocked", "readwhileidle"] {
            let result = try result(name, num: 900, readers: 3)
            #expect(result.runs.allSatisfy { $0.operations == 900 && $0.elapsed > 0 })
            #expect(result.latencies.count == 1800)
            #expect(result.storage(\.commits) == 0)
        }
    }
}
