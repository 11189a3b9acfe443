import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Explores every interleaving of small scripts with the threads that carry out the actions.
@Suite struct CommitScheduleTests {
    private enum Step {
        case request(UInt32)
        case cancel(UInt32)
        case suspend
        case resume
    }

    /// Behaviour of a request's block.
    private enum Block {
        case commits(grouped: Bool)
        case rollsBack
    }

    private struct World {
        var schedule: CommitSchedule
        var scripts: [[Step]]
        let blocks: [UInt32: Block]
        /// Actions for the queue's thread, in order.
        var jobs: [CommitSchedule.Action] = []
        /// Blocks that were handed out but have not begun, and the running one.
        var handedOut: [UInt32] = []
        var running: UInt32?
        var hasTurn = false
        var holds = 0
        var ran: [UInt32] = []
        var cancelled: Set<UInt32> = []
        var committed: [UInt32] = []
        var flushed = 0
        var completed: [UInt32] = []
        var flushes = 0
        var failure: String?

        mutating func expect(_ condition: Bool, _ what: String) {
            if !condition, failure == nil { failure = what }
        }

        mutating func perform(_ actions: [CommitSchedule.Action]) {
            for action in actions {
                switch action {
                case .acquire, .flush, .release: jobs.append(action)
                case .run(let id):
                    expect(hasTurn, "block \(id) without the turn")
                    expect(running == nil, "two blocks at once")
                    handedOut.append(id)
                case .complete(let ids):
                    completed += ids
                    expect(completed.count <= flushed, "completed before the flush")
                    expect(Array(committed.prefix(completed.count)) == completed, "out of order")
                case .fail: expect(false, "failed")
                }
            }
        }

        /// Returns all states that one step can lead to.
        func next() -> [World] {
            var worlds: [World] = []
            for i in scripts.indices where !scripts[i].isEmpty {
                if case .resume = scripts[i][0], jobs.contains(.release) || hasTurn { continue }
                var world = self
                world.take(world.scripts[i].removeFirst())
                worlds.append(world)
            }
            if let job = jobs.first {
                var world = self
                world.jobs.removeFirst()
                world.execute(job)
                worlds.append(world)
            }
            for id in handedOut {
                var world = self
                world.handedOut.removeAll { $0 == id }
                if world.schedule.began(id) {
                    world.expect(world.running == nil, "two blocks at once")
                    world.expect(!world.ran.contains(id), "block \(id) ran twice")
                    world.running = id
                    world.ran.append(id)
                }
                worlds.append(world)
            }
            if let id = running {
                var world = self
                world.running = nil
                switch blocks[id]! {
                case .rollsBack: world.perform(world.schedule.ended(id, .rolledBack))
                case .commits(let grouped):
                    world.committed.append(id + 100)
                    let ending = CommitSchedule.Ending.committed(id + 100, allowsGrouping: grouped)
                    world.perform(world.schedule.ended(id, ending))
                }
                worlds.append(world)
            }
            return worlds
        }

        private mutating func take(_ step: Step) {
            switch step {
            case .request(let id): perform(schedule.request(id))
            case .cancel(let id):
                let (isCancelled, actions) = schedule.cancel(id)
                if isCancelled {
                    expect(!ran.contains(id), "cancelled what had run")
                    cancelled.insert(id)
                }
                perform(actions)
            case .suspend:
                holds += 1
                perform(schedule.suspend())
            case .resume:
                holds -= 1
                perform(schedule.resume())
            }
        }

        private mutating func execute(_ job: CommitSchedule.Action) {
            switch job {
            case .acquire:
                expect(!hasTurn, "turn taken twice")
                hasTurn = true
                perform(schedule.acquired())
            case .flush:
                expect(hasTurn && running == nil, "flush without the turn or under a block")
                flushes += 1
                flushed = committed.count
                perform(schedule.flushed())
            case .release:
                expect(hasTurn && running == nil, "release without the turn")
                expect(flushed == committed.count, "released before the flush")
                hasTurn = false
            default: expect(false, "no job")
            }
        }

        mutating func finish(_ asked: Set<UInt32>) {
            expect(schedule.isIdle, "not idle at the end")
            expect(!hasTurn, "turn kept")
            expect(Set(ran).union(cancelled) == asked, "ran \(ran) of \(asked)")
            expect(completed == committed, "completed \(completed) of \(committed)")
        }
    }

    private func explore(
        _ scripts: [[Step]], _ blocks: [UInt32: Block], limit: Int = 1000
    ) -> (worlds: Int, flushes: Set<Int>) {
        var stack = [
            World(schedule: CommitSchedule(limit: limit), scripts: scripts, blocks: blocks)
        ]
        var ends = 0
        var flushes: Set<Int> = []
        while var world = stack.popLast() {
            let next = world.next()
            if next.isEmpty {
                ends += 1
                world.finish(Set(blocks.keys))
                flushes.insert(world.flushes)
            }
            if let failure = world.failure {
                Issue.record("\(failure) in \(world)")
                return (ends, flushes)
            }
            stack += next
        }
        return (ends, flushes)
    }

    @Test func everyOrderOfRequestsCommitsAll() {
        let blocks: [UInt32: Block] = [
            1: .commits(grouped: true), 2: .commits(grouped: true), 3: .commits(grouped: false),
        ]
        let result = explore([[.request(1), .request(2)], [.request(3)]], blocks)
        #expect(result.worlds > 100)
        // One flush for all in the best case, one for each in the worst case.
        #expect(result.flushes == [1, 2, 3])
    }

    @Test func theLimitEndsAGroup() {
        let blocks: [UInt32: Block] = [
            1: .commits(grouped: true), 2: .commits(grouped: true), 3: .commits(grouped: true),
        ]
        let result = explore([[.request(1), .request(2), .request(3)]], blocks, limit: 2)
        #expect(!result.flushes.contains(1))
    }

    @Test func everyOrderOfCancelsIsValid() {
        let blocks: [UInt32: Block] = [
            1: .commits(grouped: true), 2: .rollsBack, 3: .commits(grouped: true),
        ]
        let result = explore(
            [[.request(1), .request(2), .request(3)], [.cancel(2), .cancel(3)]], blocks)
        #expect(result.worlds > 100)
    }

    @Test func synchronousWritersMayRunBetweenRequests() {
        let blocks: [UInt32: Block] = [1: .commits(grouped: true), 2: .commits(grouped: false)]
        let result = explore(
            [[.request(1), .request(2)], [.suspend, .resume], [.suspend, .resume]], blocks)
        #expect(result.worlds > 1000)
    }

    @Test func aRefusedTurnFailsAllPendingRequests() {
        var schedule = CommitSchedule()
        #expect(schedule.request(1) == [.acquire])
        #expect(schedule.request(2) == [])
        #expect(schedule.refused() == [.fail([1, 2])])
        #expect(schedule.isIdle)
        #expect(schedule.request(3) == [.acquire])
    }
}
