import RealmActors
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Queues and actors that end while asynchronous writes are pending. Nothing may wait for ever, and
/// the write mutex must be released.
@Suite struct QueueEndTests {
    @Test("a closed queue refuses work") func aClosedQueueRefusesWork() throws {
        let (queue, diary) = (WorkQueue("short"), Diary())
        #expect(queue.async { diary.note("ran") })
        queue.close()
        #expect(!queue.async { diary.note("never") })
        #expect(diary.all == ["ran"])
    }

    @Test("a queue without references runs its pending work") func anUnreferencedQueueRunsItsWork()
    {
        let diary = Diary()
        WorkQueue("lost").async {
            Deadline.sleep(milliseconds: 5)
            diary.note("first")
        }
        WorkQueue("lost").async { diary.note("second") }
        diary.wait(for: 2)
    }

    @Test("blocks and completions of a closed queue are dropped, other writers continue")
    func aClosedQueueDropsItsPendingWrites() throws {
        for round in 0..<20 {
            let lab = try InstanceLab()
            let (closing, diary) = (WorkQueue("closing"), Diary())
            closing.sync {
                let instance = try! lab.open(on: closing.confinement)
                for _ in 0...round {
                    try! instance.writeAsync(allowGrouping: round % 2 == 0) { _ in
                        _ = try! lab.add(instance)
                    }
                }
            }
            closing.close()
            try lab.settle()
            let other = WorkQueue("other")
            other.sync {
                let instance = try! lab.open(on: other.confinement)
                try! instance.writeAsync { _ in
                    _ = try! lab.add(instance)
                } onComplete: { _ in
                    diary.note("\(lab.count(instance))")
                }
            }
            diary.wait(for: 1)
            try lab.settle()
            other.close()
            let count = lab.count(try lab.open())
            #expect(diary.all == ["\(count)"] && (1...round + 2).contains(count))
            try lab.audit()
        }
    }

    @Test("writes continue when the queue's handle is released")
    func writesContinueWithoutTheQueuesHandle() throws {
        let lab = try InstanceLab()
        let diary = Diary()
        do {
            let queue = WorkQueue("forgotten")
            queue.async { [confinement = queue.confinement] in
                let instance = try! lab.open(on: confinement)
                for i in 0..<10 {
                    try! instance.writeAsync { _ in
                        _ = try! lab.add(instance)
                    } onComplete: { _ in
                        diary.note("\(i)")
                    }
                }
            }
        }
        diary.wait(for: 10)
        #expect(diary.all == (0..<10).map(String.init))
        try lab.settle()
        #expect(lab.count(try lab.open()) == 10)
        try lab.audit()
    }

    private actor Owner {
        var instance: Instance?
        let diary: Diary
        init(_ diary: Diary) { self.diary = diary }
        deinit { diary.note("gone") }

        func open(_ lab: InstanceLab) throws -> Int {
            let opened = try lab.open(on: Confinement(self))
            instance = opened
            return lab.count(opened)
        }
    }

    @Test("an instance does not retain its actor") func anInstanceDoesNotRetainItsActor()
        async throws
    {
        let (lab, diary) = (try InstanceLab(), Diary())
        #expect(try await Owner(diary).open(lab) == 0)
        for _ in 0..<200 where diary.all.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(diary.all == ["gone"])
        try lab.audit()
    }

    /// In a separate process, because it waits for all writes of the process.
    @Test("CD-21: pending writes of all databases finish before exit")
    func pendingWritesFinishBeforeExit() async {
        await #expect(processExitsWith: .success) {
            let labs = [try InstanceLab(), try InstanceLab()]
            let (queue, diary) = (WorkQueue("writer"), Diary())
            queue.async {
                for lab in labs {
                    let instance = try! lab.open(on: queue.confinement)
                    for _ in 0..<20 {
                        try! instance.writeAsync(allowGrouping: true) { _ in
                            _ = try! lab.add(instance)
                        }
                    }
                }
                diary.note("asked")
            }
            diary.wait(for: 1)
            Instance.waitForPendingWrites()
            for lab in labs { #expect(lab.count(try lab.open()) == 20) }
        }
    }
}
