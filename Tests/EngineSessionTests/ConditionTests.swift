import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Writers continue after a program of another engine was killed while it waited at a condition of
/// the lock file, or inside a broadcast.
///
/// Without the fix, each of these tests hangs.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConditionTests {
    @Test("a killed waiter does not stop writers")
    func aDeadWaiterDoesNotStopWriters() throws {
        let lab = try ConditionLab()
        lab.killWaiters(2)
        for _ in 0..<3 {
            let waiter = lab.waiter()
            try lab.counters.add(1)
            waiter.kill()
            try lab.counters.add(1)
        }
        #expect(try Counters.sum(lab.counters.database.snapshot()) == 6)
    }

    @Test("a broadcast that waits for a killed waiter while holding the write mutex is released")
    func aBroadcastBlockedByADeadWaiterIsReleased() throws {
        let lab = try ConditionLab()
        lab.killWaiters(2)
        let first = lab.broadcaster()
        #expect(first.waitFor("did") != nil)
        let waiter = lab.waiter()
        let second = lab.broadcaster()
        _ = second.waitFor("broadcasts")
        try lab.counters.add(1)
        #expect(second.waitFor("did") != nil)
        try lab.counters.add(1)
        withExtendedLifetime(waiter) {}
    }

    @Test("the lock of a condition whose broadcaster was killed is released")
    func theLockOfADeadBroadcasterIsReleased() throws {
        let lab = try ConditionLab()
        lab.killWaiters(2)
        #expect(lab.broadcaster().waitFor("did") != nil)
        let waiter = lab.waiter()
        let victim = lab.broadcaster()
        _ = victim.waitFor("broadcasts")
        usleep(100_000)
        victim.kill()
        let next = lab.broadcaster()
        _ = next.waitFor("broadcasts")
        try lab.counters.add(1)
        #expect(next.waitFor("did") != nil)
        try lab.counters.add(1)
        withExtendedLifetime(waiter) {}
    }

    @Test("a condition is signalled only if it has waiters")
    func conditionsWithoutWaitersAreNotSignalled() throws {
        let lab = try ConditionLab()
        let file = lab.counters.database.session!.file
        #expect(!file.nextWriter.mayHaveWaiters && !file.newCommit.mayHaveWaiters)
        let waiter = lab.waiter()
        while !file.nextWriter.mayHaveWaiters { usleep(1000) }
        waiter.kill()
        #expect(file.nextWriter.mayHaveWaiters)
        #expect(file.nextWriter.blockage == nil)
    }
}

private final class ConditionLab {
    private let folder: ScratchFolder
    private let path: String
    let counters: Counters

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("condition.realm")
        counters = try Counters(path, isDurable: false)
    }

    /// Starts a process that waits at the condition for the next writer.
    func waiter() -> PeerProcess {
        let peer = PeerProcess(["condition", path])
        _ = peer.waitFor("waits")
        let file = counters.database.session!.file
        while !file.nextWriter.mayHaveWaiters { usleep(1000) }
        // The process unlocks the mutex once it waits.
        usleep(20_000)
        return peer
    }

    func killWaiters(_ count: Int) {
        for waiter in (0..<count).map({ _ in waiter() }) { waiter.kill() }
    }

    /// Starts a process that wakes the waiters with the write mutex held.
    func broadcaster() -> PeerProcess { PeerProcess(["broadcast", path]) }
}
