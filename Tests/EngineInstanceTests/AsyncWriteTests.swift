import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct AsyncWriteTests {
    @Test("THR-11 THR-13 THR-16 THR-17 THR-20 THR-22: writeAsync completes on its queue")
    func writeAsyncCompletesOnItsQueue() throws {
        let lab = try InstanceLab()
        let (queue, diary) = (WorkQueue("main"), Diary())
        queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            for i in 0..<3 {
                try! instance.writeAsync { _ in
                    _ = try! lab.add(instance)
                    diary.note("block \(i)")
                } onComplete: { error in
                    queue.confinement.check()
                    diary.note("complete \(i) \(error == nil) \(lab.count(instance) > i)")
                }
            }
            diary.note("busy \(instance.isPerformingAsynchronousWriteOperations)")
        }
        diary.wait(for: 7)
        #expect(diary.all.first == "busy true")
        #expect(diary.all.filter { $0.hasPrefix("block") } == ["block 0", "block 1", "block 2"])
        #expect(
            diary.all.filter { $0.hasPrefix("complete") }
                == (0..<3).map { "complete \($0) true true" })
        try lab.settle()
        let busy = queue.sync {
            try! lab.open(on: queue.confinement).isPerformingAsynchronousWriteOperations
        }
        #expect(!busy)
        queue.close()
        try lab.audit()
    }

    /// A transaction without a commit is rolled back; a begin or a completion can be cancelled.
    @Test("THR-15 THR-25 THR-26 THR-29 THR-31 THR-32: asynchronous writes can be cancelled")
    func cancelledBlocksAndCompletionsDoNotRun() throws {
        let lab = try InstanceLab()
        let (queue, diary) = (WorkQueue("main"), Diary())
        queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            try! instance.beginAsyncWrite { _ = try! lab.add(instance) }
            let id = try! instance.beginAsyncWrite { diary.note("never") }
            instance.cancelAsyncWrite(id)
            try! instance.beginAsyncWrite {
                _ = try! lab.add(instance)
                let id = try! instance.commitAsyncWrite { _ in diary.note("dropped") }
                instance.cancelAsyncWrite(id)
            }
            try! instance.writeAsync { _ in
                instance.cancelWrite()
            } onComplete: { _ in
                diary.note("not committed")
            }
            try! instance.writeAsync { _ in
                _ = try! lab.add(instance)
            } onComplete: { _ in
                diary.note("last")
            }
        }
        diary.wait(for: 1)
        try lab.settle()
        #expect(diary.all == ["last"])
        let here = try lab.open()
        #expect(lab.count(here) == 2)
        queue.close()
        try lab.audit()
    }

    @Test("THR-15 THR-27: the committer reads its data at once, others when it is durable")
    func committerReadsItsCommitBeforeItIsDurable() throws {
        let lab = try InstanceLab()
        let (queue, diary) = (WorkQueue("main"), Diary())
        queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            try! instance.beginAsyncWrite {
                _ = try! lab.add(instance)
                try! instance.commitAsyncWrite(allowGrouping: true) { _ in diary.note("durable") }
                diary.note("\(lab.count(instance))")
            }
            try! instance.beginAsyncWrite {
                _ = try! lab.add(instance)
                try! instance.commitAsyncWrite(allowGrouping: true)
                diary.note("\(lab.count(instance))")
            }
        }
        diary.wait(for: 3)
        #expect(diary.all == ["1", "2", "durable"])
        queue.close()
        try lab.audit()
    }

    @Test("THR-07 THR-14: a synchronous write runs first, invalidate waits")
    func aSynchronousWriteRunsBeforePendingOnes() throws {
        let lab = try InstanceLab()
        let (queue, diary) = (WorkQueue("main"), Diary())
        queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            for i in 0..<20 {
                try! instance.writeAsync(allowGrouping: true) { _ in
                    _ = try! lab.add(instance)
                } onComplete: { _ in
                    diary.note("async")
                }
                if i % 5 == 0 {
                    try! instance.write { (_) throws(RealmError) in _ = try lab.add(instance) }
                }
                if i % 7 == 0 { instance.invalidate() }
            }
        }
        diary.wait(for: 20)
        try lab.settle()
        #expect(lab.count(try lab.open()) == 24)
        queue.close()
        try lab.audit()
    }

    @Test("THR-24: several queues feed one group, each commit completes once")
    func commitsOfSeveralQueuesCompleteOnce()
        throws
    {
        let lab = try InstanceLab()
        let diary = Diary()
        let queues = (0..<4).map { WorkQueue("writer \($0)") }
        for queue in queues {
            queue.async {
                let instance = try! lab.open(on: queue.confinement)
                for i in 0..<50 {
                    try! instance.writeAsync(allowGrouping: i % 7 != 0) { _ in
                        if i % 11 == 0 {
                            instance.cancelWrite()
                        } else {
                            _ = try! lab.add(instance)
                        }
                    } onComplete: { error in
                        diary.note(error == nil ? "done" : "failed")
                    }
                }
            }
        }
        diary.wait(for: 4 * 45)
        try lab.settle()
        #expect(diary.all.allSatisfy { $0 == "done" })
        #expect(diary.all.count == 180)
        for queue in queues { queue.close() }
        #expect(lab.count(try lab.open()) == 180)
        try lab.audit()
    }

    @Test("THR-30: grouping shares the syncs of many transactions")
    func groupedTransactionsShareSyncs() throws {
        let count = ModelShapes.scale > 1 ? 10_000 : 600
        func run(_ grouping: Bool) throws -> (syncs: Int, time: Duration) {
            let lab = try InstanceLab(isDurable: true)
            let (queue, diary) = (WorkQueue("main"), Diary())
            var used: Unchecked<CommitQueue>?
            let time = ContinuousClock().measure {
                used = queue.sync {
                    let instance = try! lab.open(on: queue.confinement)
                    let used = try! CommitQueue.queue(of: instance.database)
                    for i in 0..<count {
                        try! instance.writeAsync(allowGrouping: grouping) { _ in
                            _ = try! lab.add(instance)
                        } onComplete: { _ in
                            if i == count - 1 { diary.note("last") }
                        }
                    }
                    return Unchecked(used)
                }
                diary.wait(for: 1)
            }
            try lab.settle()
            queue.close()
            #expect(lab.count(try lab.open()) == count)
            try lab.audit()
            return (used!.value.writeStatistics.syncs, time)
        }
        let grouped = try run(true)
        let alone = try run(false)
        #expect(grouped.syncs * 50 <= alone.syncs, "\(grouped) \(alone)")
        if ModelShapes.scale > 1 { print("grouped \(grouped), alone \(alone)") }
    }
}
