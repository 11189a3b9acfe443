import Dispatch
import Foundation
import RealmSwift
import Testing

/// Realms that are confined to actors.
@Suite struct ActorTests {
    actor Kennel {
        private var realm: Realm!

        init(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm(configuration: configuration, actor: self)
        }

        var count: Int { realm.objects(Dog.self).count }

        func add(_ id: Int) throws {
            try realm.write { realm.create(Dog.self, value: ["id": id]) }
        }

        func remove(_ reference: ThreadSafeReference<Dog>) throws {
            try realm.write { realm.resolve(reference).map { realm.delete($0) } }
        }

        func reference(_ id: Int) -> ThreadSafeReference<Dog>? {
            realm.object(ofType: Dog.self, forPrimaryKey: id).map { ThreadSafeReference(to: $0) }
        }

        func isSame(_ configuration: Realm.Configuration) async throws -> Bool {
            try await Realm.open(configuration: configuration) == realm
        }

        func add(later id: Int) async throws {
            try await realm.asyncWrite { realm.create(Dog.self, value: ["id": id]) }
        }

        func fail() async throws {
            try await realm.asyncWrite {
                realm.create(Dog.self, value: ["id": 100])
                throw CancellationError()
            }
        }

        func refresh() async -> Bool { await realm.asyncRefresh() }

        func close() { realm = nil }
    }

    @Test func asyncWritesDoNotBlockTheActor() async throws {
        let lab = try RealmLab(RealmTests.types)
        let kennel = try await Kennel(lab.configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<50 { group.addTask { try await kennel.add(later: id) } }
            try await group.waitForAll()
        }
        #expect(await kennel.count == 50)
        await #expect(throws: CancellationError.self) { try await kennel.fail() }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await kennel.add(later: 200)
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(await kennel.count == 50)
        #expect(await kennel.refresh() == false)
        await kennel.close()
        try lab.check()
    }

    actor Log {
        private(set) var counts: [Int] = []
        func add(_ count: Int) { counts.append(count) }
        func wait(for number: Int) async throws {
            for _ in 0..<2000 where counts.count < number {
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }
    }

    @Test @MainActor func observersRunOnTheGivenActor() async throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try await Realm(configuration: lab.configuration)
        let log = Log()
        let dogs = realm.objects(Dog.self)
        let token = await dogs.observe(on: log) { log, change in
            switch change {
            case .initial(let dogs), .update(let dogs, _, _, _): log.add(dogs.count)
            case .error: return
            }
        }
        try await log.wait(for: 1)
        try await realm.asyncWrite { realm.create(Dog.self, value: ["id": 1]) }
        try await log.wait(for: 2)
        #expect(await log.counts == [0, 1])
        #expect(token.invalidate())
        let cancelled = Task { @MainActor in
            withUnsafeCurrentTask { $0?.cancel() }
            return await dogs.observe(on: log) { _, _ in }
        }
        #expect(await cancelled.value.invalidate() == false)
        try lab.check()
    }

    @Test func eachActorHasItsOwnRealm() async throws {
        let lab = try RealmLab(RealmTests.types)
        let (one, two) = (
            try await Kennel(lab.configuration), try await Kennel(lab.configuration)
        )
        for id in 0..<10 { try await (id % 2 == 0 ? one : two).add(id) }
        #expect(try await one.isSame(lab.configuration))
        let reference = try #require(await one.reference(3))
        try await two.remove(reference)
        #expect(await two.count == 9)
        await one.close()
        await two.close()
        try lab.check()
    }

    @Test @MainActor func theMainActorUsesTheMainThreadsRealm() async throws {
        let lab = try RealmLab(RealmTests.types)
        let one = try await Realm(configuration: lab.configuration)
        let two = try await Realm(configuration: lab.configuration, actor: MainActor.shared)
        #expect(one == two)
        try one.write { one.create(Dog.self, value: ["id": 1]) }
        #expect(two.objects(Dog.self).count == 1)
        try lab.check()
    }

    /// `DispatchQueue.main` returns a different Swift object at each access.
    @Test @MainActor func realmsOfTheMainQueueAreOne() throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        let queues = (0..<20).map { _ in DispatchQueue.main }
        for queue in queues {
            #expect(try Realm(configuration: lab.configuration, queue: queue) == realm)
        }
        try lab.check()
    }

    @Test func wrappedObjectsAreReadOnEveryThread() throws {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        let dog = Dog(value: ["id": 1, "age": 0])
        try realm.write { realm.add(dog) }
        let shared = ThreadSafe(wrappedValue: dog)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<25 {
                guard let dog = shared.wrappedValue, let realm = dog.realm else { continue }
                try! realm.write { dog.age = (dog.age ?? 0) + 1 }
            }
        }
        realm.refresh()
        #expect(dog.age == 200)
        try realm.write { realm.delete(dog) }
        #expect(shared.wrappedValue == nil)
        try lab.check()
    }
}
