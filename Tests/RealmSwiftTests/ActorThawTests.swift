import Dispatch
import Foundation
import RealmSwift
import Testing

/// A global actor, for a test of functions that are isolated to one.
@globalActor actor Records {
    static let shared = Records()
}

/// Runs the code of actors on a serial queue.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "clerk")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// An actor with an executor of its own.
actor Clerk {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func age(_ frozen: Dog) throws -> Bool {
        guard let dog = frozen.thaw() else { return false }
        try realm.write { dog.age = (dog.age ?? 0) + 1 }
        return dog.realm == realm
    }

    func close() { realm = nil }
}

/// `thaw()` of frozen values, and reads of `ThreadSafe` wrappers, in functions with and without an
/// actor.
@Suite struct ActorThawTests {
    private let lab: RealmLab

    init() throws {
        lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        try realm.write {
            let dog = realm.create(Dog.self, value: ["id": 1, "age": 0, "tags": ["a"]])
            dog.owner = Owner(value: ["name": "Ann"])
        }
    }

    private func frozen() throws -> Dog {
        try #require(try lab.open().objects(Dog.self).first).freeze()
    }

    actor Kennel {
        /// Changes the object in an actor that has no realm yet.
        func rename(_ frozen: Dog, _ name: String) throws {
            let dog = try #require(frozen.thaw())
            try dog.realm!.write { dog.name = name }
        }

        /// Thaws an object and changes it several times. Yields after each change, so that the
        /// actor may continue on another thread.
        func tag(_ frozen: Dog, times: Int) async throws -> Int {
            let dog = try #require(frozen.thaw())
            for _ in 0..<times {
                try dog.realm!.write { dog.tags.append("b") }
                await Task.yield()
            }
            return dog.tags.count
        }

        func isOwn(_ frozen: Dog, _ configuration: Realm.Configuration) async throws -> Bool {
            let mine = try await Realm.open(configuration: configuration)
            let dog = try #require(frozen.thaw())
            let (list, results) = (
                try #require(frozen.tags.thaw()),
                try #require(frozen.realm?.objects(Dog.self).thaw())
            )
            return dog.realm == mine && list.realm == mine && results.realm == mine
                && frozen.realm?.thaw() == mine && helper(frozen) == mine
                && frozen.owner?.dogs.thaw()?.realm == mine
        }

        /// A function that is isolated to no actor, called by a function of this actor.
        nonisolated func helper(_ frozen: Dog) -> Realm? { frozen.thaw()?.realm }

        func increase(_ dog: ThreadSafe<Dog>, times: Int) async throws {
            for _ in 0..<times {
                let live = try #require(dog.wrappedValue)
                try live.realm!.write { live.age = (live.age ?? 0) + 1 }
                await Task.yield()
            }
        }
    }

    @Test func frozenValuesThawIntoTheActorsRealm() async throws {
        nonisolated(unsafe) let frozen = try frozen()
        let kennel = Kennel()
        try await kennel.rename(frozen, "Bo")
        #expect(try await kennel.tag(frozen, times: 20) == 21)
        #expect(try await kennel.isOwn(frozen, lab.configuration))
        #expect(frozen.name == "Rex" && frozen.tags.count == 1)
        try lab.check()
    }

    @Test func actorsWithAQueueThawIntoTheirRealm() async throws {
        nonisolated(unsafe) let frozen = try frozen()
        let clerk = try await Clerk(lab.configuration)
        for _ in 0..<5 { #expect(try await clerk.age(frozen)) }
        await clerk.close()
        #expect(try self.frozen().age == 5)
        try lab.check()
    }

    @Records private static func rename(
        _ frozen: Dog, _ configuration: Realm.Configuration
    ) async throws -> Bool {
        let dog = try #require(frozen.thaw())
        try await dog.realm!.asyncWrite { dog.name = "Ada" }
        let own = try await Realm.open(configuration: configuration)
        return dog.realm == own
    }

    @Test func frozenValuesThawOnAGlobalActor() async throws {
        nonisolated(unsafe) let frozen = try frozen()
        #expect(try await Self.rename(frozen, lab.configuration))
        #expect(try self.frozen().name == "Ada")
        try lab.check()
    }

    @Test @MainActor func frozenValuesThawOnTheMainActor() async throws {
        let realm = try await Realm.open(configuration: lab.configuration)
        let frozen = try #require(realm.objects(Dog.self).first).freeze()
        #expect(frozen.thaw()?.realm == realm)
        try lab.check()
    }

    @Test func frozenValuesThawOnASerialQueueWithARealm() throws {
        nonisolated(unsafe) let frozen = try frozen()
        let configuration = lab.configuration
        let queue = DispatchQueue(label: "thaw")
        let isOwn = queue.sync { () -> Bool in
            let realm = try! Realm(configuration: configuration, queue: queue)
            return frozen.thaw()?.realm == realm
        }
        #expect(isOwn)
        try lab.check()
    }

    @Test func frozenValuesThawOnAThread() throws {
        nonisolated(unsafe) let frozen = try frozen()
        DispatchQueue.global().sync {
            let realm = frozen.thaw()?.realm
            #expect(realm != nil && realm == frozen.realm?.thaw())
        }
        try lab.check()
    }

    @Test func wrappedObjectsAreReadOnActors() async throws {
        let dog = ThreadSafe(wrappedValue: try lab.open().objects(Dog.self).first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let kennel = Kennel()
                group.addTask { try await kennel.increase(dog, times: 10) }
            }
            try await group.waitForAll()
        }
        #expect(try frozen().age == 40)
        try lab.check()
    }
}
