import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Unretained references in a list, to objects that remove themselves from it.
@Suite struct UnretainedEntryTests {
    private final class Member: Sendable {
        let number: Int
        private let list: LockedValue<[UnretainedEntry<Member>]>

        init(_ number: Int, in list: LockedValue<[UnretainedEntry<Member>]>) {
            self.number = number
            self.list = list
        }

        deinit {
            let id = ObjectIdentifier(self)
            // While `deinit` waits for the lock, other threads find the entry, whose object is nil.
            list.withLock { $0.removeAll { $0.id == id } }
        }
    }

    private let list = LockedValue<[UnretainedEntry<Member>]>([])

    @Test func entriesDoNotRetainObjects() {
        var member: Member? = Member(1, in: list)
        list.withLock { $0.append(UnretainedEntry(member!)) }
        #expect(list.withLock { $0.first?.object } === member)
        member = nil
        #expect(list.withLock { $0.isEmpty })
    }

    /// An object is never returned once its `deinit` has begun, and all deinitialised objects leave
    /// the list.
    @Test func deinitialisingObjectsAreNotReturned() {
        let list = list
        Threads.run(4) { _ in
            for number in 0..<2000 {
                let found = list.withLock { members in
                    if let member = members.first?.object { return member }
                    let fresh = Member(number, in: list)
                    members = [UnretainedEntry(fresh)] + members
                    return fresh
                }
                #expect(found.number < 2000)
            }
        }
        #expect(list.withLock { $0.isEmpty })
    }
}
