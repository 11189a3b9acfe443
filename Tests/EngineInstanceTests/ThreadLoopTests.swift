import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Instances of a thread that runs a loop, and of threads that only read.
@Suite struct ThreadLoopTests {
    /// Runs the loop until no write of the instance is pending.
    private func finish(_ loop: ThreadLoop, _ instance: Instance) {
        while instance.isPerformingAsynchronousWriteOperations { loop.run(milliseconds: 100) }
    }

    @Test("THR-13 THR-16: blocks and completions run on the thread of the loop")
    func blocksAndCompletionsRunOnTheLoopsThread() throws {
        let lab = try InstanceLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        var diary: [String] = []
        for i in 0..<3 {
            try instance.writeAsync(allowGrouping: true) { _ in
                diary.append("block \(i)")
                _ = try! lab.add(instance)
            } onComplete: { error in
                diary.append("complete \(i) \(error == nil)")
            }
        }
        finish(loop, instance)
        #expect(
            diary == (0..<3).map { "block \($0)" } + (0..<3).map { "complete \($0) true" })
        #expect(lab.count(instance) == 3)
        #expect(instance.asynchronousWriteStatistics.syncs == 0)
        try lab.audit()
    }

    @Test func wakingALoopRunsItsWork() {
        let loop = ThreadLoop()
        #expect(!loop.run())
        let wake = loop.wake
        #expect(Threads.detach { wake() })
        #expect(loop.run(milliseconds: 60_000))
        var hasRun = false
        let box = Unchecked { hasRun = true }
        #expect(loop.confinement.post { box.value() })
        #expect(!hasRun)
        #expect(loop.run() && hasRun)
    }

    /// Nothing is delivered to a deinitialised loop.
    @Test func nothingIsDeliveredToADeinitialisedLoop() {
        let confinement = ThreadLoop().confinement
        #expect(!confinement.post {})
    }

    /// Restarting a transaction discards its own changes, but not its group's earlier commits.
    @Test("THR-18 THR-21: commit and cancel both end an asynchronous write", arguments: [0, 1, 3])
    func commitAndCancelEndAnAsynchronousWrite(before: Int) throws {
        let lab = try InstanceLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        for _ in 0..<before {
            try instance.writeAsync(allowGrouping: true) { _ in _ = try! lab.add(instance) }
        }
        try instance.beginAsyncWrite {
            for _ in 0..<2 {
                _ = try! lab.add(instance)
                _ = try! lab.add(instance)
                try! instance.restartAsyncWrite()
                #expect(lab.count(instance) == before)
            }
            _ = try! lab.add(instance)
            _ = try! instance.commitAsyncWrite(allowGrouping: true)
        }
        #expect(instance.isPerformingAsynchronousWriteOperations)
        if before == 0 { finish(loop, instance) }
        try instance.beginAsyncWrite {
            try! instance.restartAsyncWrite()
            instance.cancelWrite()
        }
        #expect(instance.isPerformingAsynchronousWriteOperations)
        if before == 0 { finish(loop, instance) }
        try instance.writeAsync { _ in _ = try! lab.add(instance) }
        finish(loop, instance)
        #expect(lab.count(instance) == before + 2)
        try lab.audit()
    }

    /// Another program holds the write mutex for longer than the instance waits.
    @Test("THR-18: waiting for a turn counts as an asynchronous write")
    func waitingForTheTurnIsAnAsynchronousWrite() throws {
        let lab = try InstanceLab()
        var options = WriteSession.Options()
        options.isDurable = lab.configuration.isDurable
        options.isSeparate = true
        let other = try WriteSession(path: lab.path, options: options)
        let loop = ThreadLoop()
        lab.configuration.lockTimeout = .milliseconds(20)
        let instance = try lab.open(on: loop.confinement)
        let transaction = try other.begin()
        var failures: [RealmError.Kind] = []
        for _ in 0..<2 {
            try instance.beginAsyncWrite {
                failures.append($0.kind)
            } _: {
                failures.append(.internal)
            }
        }
        finish(loop, instance)
        transaction.rollback()
        #expect(failures == [.busy, .busy])
        try instance.writeAsync { _ in _ = try! lab.add(instance) }
        finish(loop, instance)
        #expect(lab.count(instance) == 1)
        try lab.audit()
    }

    /// Several threads read one mapping, each through its own instance, and create no files.
    @Test("THR-04: threads share a mapping that is only read") func threadsShareAReadOnlyMapping()
        throws
    {
        let lab = try InstanceLab()
        let writer = try lab.open()
        try writer.write { (_) throws(RealmError) in
            for age in 0..<1000 { _ = try lab.add(writer, age: Int64(age)) }
        }
        let copy = try ScratchFolder()
        try FileManager.default.copyItem(atPath: lab.path, toPath: copy.file("copy.realm"))
        let database = try Database(immutable: copy.file("copy.realm"))
        let counts = Diary()
        Threads.run(4) { _ in
            let instance = Instance.reading(database)
            counts.note("\(lab.count(instance)) \(instance.snapshot() === instance.snapshot())")
            #expect((try? instance.refresh()) == false)
        }
        #expect(counts.all == Array(repeating: "1000 true", count: 4))
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.path) == ["copy.realm"])
        // A reading instance of a live database stays at its initial version.
        let still = Instance.reading(writer.database)
        try writer.write { (_) throws(RealmError) in _ = try lab.add(writer) }
        #expect(lab.count(still) == 1000 && lab.count(writer) == 1001)
        try lab.audit()
    }

    @Test func writingOnAReadOnlyInstanceTraps() async {
        await #expect(processExitsWith: .failure) {
            let lab = try InstanceLab()
            try Instance.reading(Database.open(lab.path)).beginWrite()
        }
    }
}
