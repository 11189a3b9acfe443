import Foundation
import RealmActors
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Transfer of references between contexts.
@Suite struct HandOverTests {
    @Test("ACT-31: a handle is resolved inside a write transaction on an actor")
    func handlesResolveInsideAWriteTransaction() async throws {
        let lab = try InstanceLab()
        let (queue, target) = (WorkQueue("source"), TargetPlace())
        try await target.open(lab)
        // The handle's version is newer than the target's.
        let handle = queue.sync {
            let here = try! lab.open(on: queue.confinement)
            let key = try! here.write { (_) throws(RealmError) in try lab.add(here, age: 4) }
            return try! ThreadSafeHandle(
                to: here.object(ObjectLink(table: lab.table, key: key)))
        }
        #expect(try await target.grow(handle) == 4)
        #expect(handle.isInvalidated)
        let age = queue.sync { () -> String in
            let here = try! lab.open(on: queue.confinement)
            try! here.refresh()
            let table = try! here.snapshot().table(lab.table)
            return "\(try! table.row(table.keys()[0])!.value(0))"
        }
        #expect(age == "int(5)")
        await target.close()
        queue.close()
        try lab.audit()
    }

    @Test("CD-09: uncommitted objects are not found in other instances, by key or by handle")
    func uncommittedObjectsAreNotFoundElsewhere() throws {
        let lab = try InstanceLab()
        let (here, queue) = (try lab.open(), WorkQueue("other"))
        let there = queue.sync {
            lab.configuration.autorefresh = false
            let there = try! lab.open(on: queue.confinement)
            _ = there.snapshot()
            return Unchecked(there)
        }
        try here.beginWrite()
        let link = ObjectLink(table: lab.table, key: try lab.add(here, age: 6))
        let early = try ThreadSafeHandle(to: here.object(link))
        let late = try ThreadSafeHandle(to: here.object(link))
        let before = queue.sync {
            try! there.value.refresh()
            return (
                there.value.object(link).isInvalidated,
                try! early.resolve(in: there.value) == nil
            )
        }
        #expect(before == (true, true))
        try here.commitWrite()
        let after = queue.sync {
            let isStale = there.value.object(link).isInvalidated
            // Resolving moves the instance to the commit of the transaction in which the handle was
            // made.
            let found = try! late.resolve(in: there.value)
            return (isStale, "\(String(describing: try! found?.row()?.value(0)))")
        }
        #expect(after == (true, "Optional(RealmEngine.Value.int(6))"))
        queue.sync { there.value.close() }
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test("THR-41: a handle resolves to a commit that is not durable yet")
    func handlesResolveToCommitsThatAreNotDurable() throws {
        let (loop, gate) = (ThreadLoop(), SyncGate())
        let (lab, here) = try InstanceLab.held(gate, loop)
        let queue = WorkQueue("other")
        let there = queue.sync {
            let there = try! lab.open(on: queue.confinement)
            _ = there.snapshot()
            return Unchecked(there)
        }
        var isDurable = false
        let key = try lab.commitHeld(here, loop, gate, age: 6, allowGrouping: true) { _ in
            isDurable = true
        }
        let handle = try ThreadSafeHandle(
            to: here.object(ObjectLink(table: lab.table, key: key)))
        let found = queue.sync {
            let object = try! handle.resolve(in: there.value)
            // A refresh does not return to an older version.
            try! there.value.refresh()
            return "\(String(describing: try! object?.row()?.value(0)))"
        }
        #expect(found == "Optional(RealmEngine.Value.int(6))" && gate.passed == 0)
        gate.open()
        loop.run { isDurable }
        queue.sync {
            try! there.value.refresh()
            #expect(lab.count(there.value) == 1)
            there.value.close()
        }
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test("CD-06: an operation opens its instance where it runs")
    func operationsOpenTheirInstanceWhereTheyRun() throws {
        let lab = try InstanceLab()
        let queue = WorkQueue("operations")
        let operation = Unchecked(CountingOperation(lab))
        queue.sync { operation.value.start() }
        #expect(operation.value.count == 0 && operation.value.isFinished)
        queue.close()
    }

    @Test("CD-06: an instance opened where the operation is made traps where it runs")
    func anInstanceOpenedByTheCreatorOfAnOperationTraps() async {
        await #expect(processExitsWith: .failure) {
            let operation = Unchecked(CountingOperation(try InstanceLab(), early: true))
            WorkQueue("operations").sync { operation.value.start() }
        }
    }
}

/// Counts objects with an instance opened in `main`, or with one opened in `init`, which is misuse.
private final class CountingOperation: Operation, @unchecked Sendable {
    private let lab: InstanceLab
    private let early: Instance?
    private(set) var count: Int?

    init(_ lab: InstanceLab, early isEarly: Bool = false) {
        self.lab = lab
        early = isEarly ? try? lab.open() : nil
        _ = early?.snapshot()
    }

    override func main() {
        guard let instance = early ?? (try? lab.open()) else { return }
        count = lab.count(instance)
    }
}

private actor TargetPlace {
    private var instance: Instance?

    func open(_ lab: InstanceLab) throws {
        instance = try lab.open(on: Confinement(self))
        _ = instance?.snapshot()
    }

    /// Resolves and changes an object in one transaction; returns the previous value.
    func grow(_ handle: ThreadSafeHandle) throws -> Int64? {
        guard let instance else { return nil }
        return try instance.write { (_) throws(RealmError) -> Int64? in
            guard let object = try handle.resolve(in: instance),
                case .object(let link) = object.target,
                case .int(let age)? = try object.row()?.value(0)
            else { return nil }
            try object.forWriting().set(link.table, link.key, 0, .int(age + 1))
            return age
        }
    }

    func close() {
        instance?.close()
        instance = nil
    }
}
