import Dispatch
import Foundation
import RealmSwift

func person(_ i: Int) -> Person {
    let person = Person()
    person.id = i
    person.name = "name \(i & 1023)"
    person.age = i % 100
    person.email = "someone@example.org"
    person.score = Double(i)
    person.active = i & 1 == 0
    person.city = "Oslo"
    person.visits = i
    person.note = nil
    return person
}

func fill(_ realm: Realm, _ count: Int) throws {
    // Not counted: the first commit creates the file.
    try realm.write { realm.add(person(-1)) }
    try realm.write { realm.delete(realm.objects(Person.self)) }
    let time = try best(count / 5) {
        let from = realm.objects(Person.self).count
        try realm.write { for i in from..<from + count / 5 { realm.add(person(i)) } }
    }
    line("init and add, 10 properties", time)
    try realm.write {
        for i in 0..<count {
            let pair = Pair()
            (pair.first, pair.second) = (i, i)
            realm.add(pair)
        }
    }
}

func objects(_ realm: Realm) throws {
    var kept: [Person] = []
    // Measured first: later objects would reuse freed memory.
    let before = memory()
    for person in realm.objects(Person.self).prefix(500_000) { kept.append(person) }
    line("memory of an accessor", Double(memory() - before) / Double(kept.count), "bytes")
    kept = Array(kept.prefix(100_000))
    line("freeze an object", best(100_000) { for person in kept { use(person.freeze()) } })
    kept = []

    let one = realm.object(ofType: Person.self, forPrimaryKey: 7)!
    let times = 1_000_000
    line("read an Int, thread", best(times) { for _ in 0..<times { use(one.age) } })
    line("read a String of 6 bytes", best(times) { for _ in 0..<times { use(one.name) } })
    let frozen = one.freeze()
    line("read an Int, frozen", best(times) { for _ in 0..<times { use(frozen.age) } })
    let pairs = realm.objects(Pair.self)
    line(
        "iterate, two properties",
        best(pairs.count) {
            var sum = 0
            for pair in pairs { sum &+= pair.first &+ pair.second }
            use(sum)
        })
    var all: [Pair] = []
    line(
        "the same, keeping all of them",
        best(pairs.count, after: { all = [] }) {
            var sum = 0
            all.reserveCapacity(pairs.count)
            for pair in pairs {
                sum &+= pair.first &+ pair.second
                all.append(pair)
            }
            use(sum)
        })
    all = []
    var plain: [Bytes] = []
    line(
        "objects of as many bytes, keeping all",
        best(pairs.count, after: { plain = [] }) {
            plain.reserveCapacity(pairs.count)
            for i in 0..<pairs.count { plain.append(Bytes(i)) }
        })
    plain = []
    let keys = realm.objects(Person.self).count
    line(
        "by primary key, one property",
        best(200_000) {
            var key = 1
            for _ in 0..<200_000 {
                key = (key &* 7919 &+ 13) % keys
                use(realm.object(ofType: Person.self, forPrimaryKey: key)!.age)
            }
        })
    try realm.write {
        line("set an Int", best(times) { for i in 0..<times { one.age = i & 127 } })
    }
}

func queries(_ realm: Realm) throws {
    let people = realm.objects(Person.self)
    let typed = best(2000) { for i in 0..<2000 { use(people.where { $0.id == i }.count) } }
    let text = best(2000) { for i in 0..<2000 { use(people.filter("id == %@", i).count) } }
    line("where and count, by key", typed)
    line("filter(\"id == %@\") and count", text)
}

func handOver(_ realm: Realm) throws {
    let kept = Array(realm.objects(Person.self).prefix(20_000))
    let references = { kept.map { ThreadSafeReference(to: $0) } }
    let time = best(kept.count, after: references) { references in
        for reference in references { use(realm.resolve(reference)!) }
    }
    line("resolve a reference", time)
}

/// Measures the cost of a queue, and of an observer of many objects when one of them changes.
func observing(_ configuration: Realm.Configuration, queue: DispatchQueue) async throws {
    try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        let one = realm.object(ofType: Person.self, forPrimaryKey: 7)!
        let times = 1_000_000
        line("read an Int, queue", best(times) { for _ in 0..<times { use(one.age) } })
    }
    let heard = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var token: NotificationToken?
    try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        token = realm.objects(Person.self).where { $0.id < 100_000 }.observe { _ in heard.signal() }
    }
    try await onThread {
        heard.wait()
        let realm = try Realm(configuration: configuration)
        let one = realm.object(ofType: Person.self, forPrimaryKey: 70)!
        var best = Double.infinity
        for i in 0..<20 {
            let began = processorTime()
            try realm.write { one.age = i }
            heard.wait()
            best = min(best, processorTime() - began)
        }
        line("one change of 100 000 observed, with its commit", best / 1000, "us of CPU")
    }
    token?.invalidate()
}

actor Office {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func issue(_ id: Int) async throws {
        try await realm.asyncWrite {
            let ticket = Ticket()
            (ticket.id, ticket.holder) = (id, "somebody")
            realm.add(ticket)
        }
    }

    func issue(_ ids: Range<Int>) async throws {
        for id in ids { try await issue(id) }
    }

    func read() -> Double {
        let one = realm.object(ofType: Person.self, forPrimaryKey: 7)!
        return best(1_000_000) { for _ in 0..<1_000_000 { use(one.age) } }
    }
}

func asynchronousWrites(_ configuration: Realm.Configuration) async throws {
    let office = try await Office(configuration)
    line("read an Int, actor", await office.read())
    let onActor = try await maximumWriteCount(from: 0) { ids in try await office.issue(ids) }
    line("asyncWrite of one object, 10 tasks", onActor, "a second")
    let fromOutside = try await maximumWriteCount(from: 100_000) { ids in
        for id in ids { try await office.issue(id) }
    }
    line("the same, tasks that come to the actor each time", fromOutside, "a second")
}

/// Number of writes per second by ten concurrent tasks with 2000 writes each; the best of five
/// runs.
private func maximumWriteCount(
    from first: Int, _ write: @escaping @Sendable (Range<Int>) async throws -> Void
) async throws -> Double {
    var most = 0.0
    for run in 0..<5 {
        let began = Date()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<10 {
                let ids = first + (run * 10 + task) * 2000
                group.addTask { try await write(ids..<ids + 2000) }
            }
            try await group.waitForAll()
        }
        most = max(most, 20_000 / Date().timeIntervalSince(began))
    }
    return most
}

private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
