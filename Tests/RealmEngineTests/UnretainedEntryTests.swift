import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A list's references to objects that take themselves out of it.
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
            // While it waits here, others find the reference, and nothing at its end.
            list.withLock { $0.removeAll { $0.id == id } }
        }
    }

    private let list = LockedValue<[UnretainedEntry<Member>]>([])

    @Test func keepsNothingAlive() {
        var member: Member? = Member(1, in: list)
        list.withLock { $0.append(UnretainedEntry(member!)) }
        #expect(list.withLock { $0.first?.object } === member)
        member = nil
        #expect(list.withLock { $0.isEmpty })
    }

    /// Nobody gets hold of one whose end has begun, and all that are gone are out of the list.
    @Test func foundOrGone() {
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
