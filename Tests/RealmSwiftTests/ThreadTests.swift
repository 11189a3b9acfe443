import Dispatch
import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Realms on queues and threads, and values passed between them.
@Suite struct ThreadTests {
    /// Runs `body` on a new serial queue and waits for it.
    private func onQueue(
        _ name: String = "test", _ body: @escaping @Sendable (DispatchQueue) throws -> Void
    ) {
        let queue = DispatchQueue(label: name)
        queue.sync { #expect(throws: Never.self) { try body(queue) } }
    }

    /// Runs `body` on another thread and waits for it.
    private func elsewhere(_ body: @escaping @Sendable () throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            #expect(throws: Never.self) { try body() }
            done.signal()
        }
        done.wait()
    }

    @Test func aQueueHasOneRealm() throws {
        let lab = try RealmLab(RealmTests.types)
        let configuration = lab.configuration
        onQueue { queue in
            let one = try Realm(configuration: configuration, queue: queue)
            #expect(try Realm(configuration: configuration, queue: queue) == one)
            try one.write { one.create(Dog.self, value: ["id": 1]) }
            #expect(try Realm(configuration: configuration) != one)
        }
        #expect(try lab.open().objects(Dog.self).count == 1)
        try lab.check()
    }

    /// `catchMisuse` runs a block on a thread that impersonates a queue. That thread lacks the
    /// queue-specific value by which a queue is usually identified.
    @Test func impersonatedThreadsFindTheRealmOfTheirQueue() throws {
        let lab = try RealmLab(RealmTests.types)
        let configuration = lab.configuration
        nonisolated(unsafe) var opened: Realm?
        onQueue { queue in
            // Opening any realm on the queue stores the queue-specific value that identifies the
            // queue.
            var other = configuration
            other.inMemoryIdentifier = "impersonatedThread"
            _ = try Realm(configuration: other, queue: queue)
            #expect(
                RealmTesting.catchMisuse {
                    opened = try? Realm(configuration: configuration, queue: queue)
                } == nil)
        }
        let message = RealmTesting.catchMisuse { _ = opened!.isInWriteTransaction }
        #expect(message?.reason.contains("incorrect thread") == true)
        onQueue("another") { _ in
            #expect(RealmTesting.catchMisuse { _ = opened!.isInWriteTransaction } != nil)
        }
    }

    @Test func referencesResolveOnAnotherThread() throws {
        let lab = try RealmLab(RealmTests.types)
        let configuration = lab.configuration
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1, "name": "Rex", "tags": ["a", "b"]])
        try realm.write { realm.add(dog) }
        let object = ThreadSafeReference(to: dog)
        let list = ThreadSafeReference(to: dog.tags)
        let results = ThreadSafeReference(to: realm.objects(Dog.self).where { $0.name == "Rex" })
        elsewhere {
            let realm = try Realm(configuration: configuration)
            #expect(realm.resolve(list).map { Array($0) } == ["a", "b"])
            #expect(realm.resolve(results)?.count == 1)
            try realm.write { realm.resolve(object)?.name = "Fido" }
            #expect(object.isInvalidated && list.isInvalidated)
        }
        #expect(dog.name == "Rex")
        #expect(realm.refresh() && dog.name == "Fido")
        let gone = ThreadSafeReference(to: dog)
        try realm.write { realm.delete(dog) }
        #expect(dog.isInvalidated)
        #expect(realm.resolve(gone) == nil)
        try lab.check()
    }

    @Test func frozenObjectsAreReadOnEveryThread() throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1, "name": "Rex", "tags": ["a", "b"]])
        try realm.write { realm.add(dog) }
        let frozen = dog.freeze()
        let all = realm.objects(Dog.self).freeze()
        try realm.write {
            dog.name = "Fido"
            realm.create(Dog.self, value: ["id": 2])
        }
        struct Box: @unchecked Sendable {
            let dog: Dog
            let all: Results<Dog>
        }
        let box = Box(dog: frozen, all: all)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                #expect(box.dog.name == "Rex" && box.dog.tags[1] == "b" && box.all.count == 1)
                #expect(box.all[0] == box.dog && box.dog.isFrozen && box.dog.realm!.isFrozen)
            }
        }
        #expect(frozen.thaw()?.name == "Fido" && all.thaw()?.count == 2)
        try lab.check()
    }

    @Test func asynchronousWritesComplete() async throws {
        let lab = try RealmLab(RealmTests.types)
        let configuration = lab.configuration
        let queue = DispatchQueue(label: "async")
        let count = await withCheckedContinuation { continuation in
            queue.async {
                let realm = try! Realm(configuration: configuration, queue: queue)
                for id in 0..<10 {
                    realm.writeAsync {
                        realm.create(Dog.self, value: ["id": id])
                    } onComplete: { error in
                        #expect(error == nil)
                        if id == 9 { continuation.resume(returning: realm.objects(Dog.self).count) }
                    }
                }
                #expect(realm.isPerformingAsynchronousWriteOperations)
            }
        }
        #expect(count == 10)
        try lab.check()
    }

    @Test func changesAreNotifiedOnTheQueue() throws {
        let lab = try RealmLab(RealmTests.types)
        let configuration = lab.configuration
        let news = News()
        let queue = DispatchQueue(label: "observer")
        let held = queue.sync { () -> News.Tokens in
            let realm = try! Realm(configuration: configuration, queue: queue)
            try! realm.write {
                realm.create(Dog.self, value: ["id": 1, "name": "Rex", "tags": ["a"]])
            }
            let dogs = realm.objects(Dog.self)
            return News.Tokens([
                realm,
                realm.observe { change, _ in news.note("realm \(change)") },
                dogs.observe { change in
                    switch change {
                    case .initial(let dogs): news.note("initial \(dogs.count)")
                    case .update(let dogs, let deletions, let insertions, let modifications):
                        news.note(
                            "update \(dogs.count) -\(deletions) +\(insertions) *\(modifications)")
                    case .error: news.note("error")
                    }
                },
                dogs[0].observe { (change: ObjectChange<Dog>) in
                    switch change {
                    case .change(let dog, let properties):
                        for property in properties {
                            news.note(
                                "\(dog.id) \(property.name) \(property.oldValue ?? "-") \(property.newValue ?? "-")"
                            )
                        }
                    case .deleted: news.note("deleted")
                    case .error: news.note("error")
                    }
                },
                dogs[0].tags.observe { change in
                    if case .update(_, _, let insertions, _) = change {
                        news.note("tags +\(insertions)")
                    }
                },
            ])
        }
        news.wait { $0.contains("initial 1") }
        let other = try lab.open()
        func write(_ last: String, _ body: () throws -> Void) throws {
            try other.write(body)
            news.wait { $0.contains(last) }
        }
        try write("1 name Rex Fido") { other.objects(Dog.self)[0].name = "Fido" }
        try write("update 2 -[] +[1] *[]") { other.create(Dog.self, value: ["id": 2]) }
        try write("tags +[1]") { other.objects(Dog.self)[0].tags.append("b") }
        try write("update 1 -[0] +[] *[]") { other.delete(other.objects(Dog.self)[0]) }
        news.wait { $0.contains("deleted") }
        #expect(news.all.contains("update 1 -[] +[] *[0]"))
        #expect(news.all.filter { $0 == "realm didChange" }.count >= 4)
        withExtendedLifetime(held) {}
        try lab.check()
    }
}

/// Collects the text lines that observers note. May be used on any thread.
final class News: @unchecked Sendable {
    final class Tokens: @unchecked Sendable {
        let things: [Any]
        init(_ things: [Any]) { self.things = things }
    }

    private let condition = NSCondition()
    private var lines: [String] = []

    func note(_ line: String) {
        condition.lock()
        lines.append(line)
        condition.broadcast()
        condition.unlock()
    }

    var all: [String] {
        condition.lock()
        defer { condition.unlock() }
        return lines
    }

    func wait(_ isDone: ([String]) -> Bool) {
        condition.lock()
        while !isDone(lines) { condition.wait() }
        condition.unlock()
    }
}
