import Dispatch
import Foundation
import RealmSwift
import Testing

/// Misuse of the API that ends the process. Each case runs in a process of its own and must print
/// its message (API specification 2.16).
@Suite struct MisuseTests {
    /// A call that misuses the API and the message with which it must trap.
    struct Mistake: Sendable {
        let name: String
        /// Part of the message that the process must print.
        let said: String
        let make: @Sendable (RealmLab, Realm, Dog) throws -> Void
    }

    @Test(arguments: mistakes.indices) func mistakesTrapWithTheirMessage(_ index: Int) async {
        let mistake = Self.mistakes[index]
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [index] in
            // The case runs on a new thread, because the process may have started on any thread or
            // task.
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let lab = try! RealmLab(RealmTests.types + [Things.self, Collected.self])
                let realm = try! lab.open()
                let dog = Dog(value: ["id": 1, "name": "Rex", "tags": ["a"]])
                try! realm.write { realm.add(dog) }
                do { try MisuseTests.mistakes[index].make(lab, realm, dog) } catch {
                    FileHandle.standardError.write(Data("threw \(error)\n".utf8))
                }
                ended.signal()
            }
            ended.wait()
            // Reached only if the misuse did not end the process.
            exit(0)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(mistake.said), "\(mistake.name): \(said.suffix(600))")
    }

    /// An actor that opens a realm confined to the current thread instead of the actor.
    private actor Elsewhere {
        func write() async throws {
            let realm = try RealmLab(RealmTests.types).open()
            try await realm.asyncWrite {}
        }
    }

    @Test("ACT-27: asynchronous writes need a realm of an actor")
    func asyncWriteNeedsARealmOfAnActor() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try await Elsewhere().write()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            said.contains(
                "asyncWrite() can only be called on main thread or actor-isolated Realms"),
            "\(said)")
    }

    @Test func messagesInATaskSuggestARealmOfAnActor() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            nonisolated(unsafe) var opened: Realm?
            let lab = try RealmLab(RealmTests.types)
            MisuseTests.elsewhere(lab) { opened = try? $0.open() }
            _ = opened!.objects(Dog.self).count
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(Self.thread) && said.contains("Realm(actor:)"), "\(said)")
    }

    static let mistakes: [Mistake] = confinement + transactions + objects + collections + others

    /// Runs `body` on another thread and waits for it.
    static func elsewhere<T>(_ value: T, _ body: @escaping (T) -> Void) {
        let box = Box(value: value, body: body)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            box.body(box.value)
            done.signal()
        }
        done.wait()
    }

    /// Opens a copy of the file for reading only.
    static func readOnly(_ lab: RealmLab, _ realm: Realm) throws -> Realm {
        var configuration = lab.configuration
        configuration.fileURL!.appendPathExtension("copy")
        configuration.readOnly = true
        try realm.writeCopy(toFile: configuration.fileURL!)
        return try Realm(configuration: configuration)
    }

    private static let thread = "Realm accessed from incorrect thread."

    private static let confinement = [
        Mistake(name: "THR-09: a realm", said: thread) { _, realm, _ in
            elsewhere(realm) { _ = $0.objects(Dog.self).count }
        },
        Mistake(name: "THR-09: an object", said: thread) { _, _, dog in
            elsewhere(dog) { _ = $0.name }
        },
        Mistake(name: "THR-09: an embedded object", said: thread) { _, realm, dog in
            try realm.write { dog.collar = Collar(value: ["color": "red"]) }
            elsewhere(dog.collar!) { _ = $0.color }
        },
        Mistake(name: "THR-09: a list", said: thread) { _, _, dog in
            elsewhere(dog.tags) { _ = $0.count }
        },
        Mistake(name: "THR-09: results", said: thread) { _, realm, _ in
            elsewhere(realm.objects(Dog.self)) { _ = $0.first }
        },
        Mistake(name: "THR-09: a set", said: thread) { _, realm, _ in
            let things = try realm.write { realm.create(Things.self) }
            elsewhere(things.numbers) { _ = $0.count }
        },
        Mistake(name: "THR-09: a map", said: thread) { _, realm, _ in
            let things = try realm.write { realm.create(Things.self) }
            elsewhere(things.names) { _ = $0["a"] }
        },
        Mistake(name: "THR-09: linking objects", said: thread) { _, realm, _ in
            let owner = try realm.write { realm.create(Owner.self) }
            elsewhere(owner.dogs) { _ = $0.count }
        },
        Mistake(name: "CD-22 CD-25: under a lock", said: thread) { _, _, dog in
            let lock = NSLock()
            lock.withLock { elsewhere(dog) { _ = $0.id } }
        },
        Mistake(name: "the wrong queue", said: "Realm opened from incorrect dispatch queue.") {
            lab, _, _ in
            _ = try Realm(configuration: lab.configuration, queue: DispatchQueue(label: "q"))
        },
        Mistake(
            name: "THR-43: a concurrent queue", said: "Realms can only be confined to serial queues"
        ) {
            lab, _, _ in
            let configuration = lab.configuration
            let queue = DispatchQueue.global()
            queue.sync { _ = try! Realm(configuration: configuration, queue: queue) }
        },
    ]

    private static let transactions = [
        Mistake(
            name: "CD-28: a second begin", said: "The Realm is already in a write transaction"
        ) { _, realm, _ in
            realm.beginWrite()
            realm.beginWrite()
        },
        Mistake(name: "commit", said: "Can't commit a non-existing write transaction") {
            _, realm, _ in try realm.commitWrite()
        },
        Mistake(name: "cancel", said: "Can't cancel a non-existing write transaction") {
            _, realm, _ in realm.cancelWrite()
        },
        Mistake(name: "read-only", said: "Can't perform transactions on read-only Realms.") {
            lab, realm, _ in
            try readOnly(lab, realm).beginWrite()
        },
        Mistake(name: "THR-73: frozen", said: "Can't perform transactions on a frozen Realm") {
            _, realm, _ in realm.freeze().beginWrite()
        },
        Mistake(
            name: "too many versions",
            said: "in the Realm exceeded the limit of 2"
        ) { lab, realm, _ in
            realm.invalidate()
            var configuration = lab.configuration
            configuration.maximumNumberOfActiveVersions = 2
            elsewhere(configuration) { configuration in
                let realm = try! Realm(configuration: configuration)
                var frozen: [Realm] = []
                for id in 10..<20 {
                    frozen.append(realm.freeze())
                    try! realm.write { realm.create(Dog.self, value: ["id": id]) }
                }
            }
        },
        Mistake(
            name: "asynchronous on a thread", said: "Cannot schedule async transaction."
        ) { _, realm, _ in realm.writeAsync {} },
        Mistake(
            name: "outside", said: "Can only add, remove, or create objects in a Realm in a write"
        ) { _, realm, _ in realm.add(Dog(value: ["id": 5])) },
        Mistake(
            name: "deleting outside",
            said: "Can only add, remove, or create objects in a Realm in a write"
        ) { _, realm, dog in realm.delete(dog) },
        Mistake(
            name: "setting outside",
            said: "Attempting to modify object outside of a write transaction"
        ) { _, _, dog in dog.name = "Bo" },
        Mistake(
            name: "THR-74: setting a frozen one",
            said: "Attempting to modify a frozen object - call thaw on the Object instance first."
        ) { _, realm, dog in
            let frozen = dog.freeze()
            try realm.write { frozen.name = "Bo" }
        },
        Mistake(
            name: "a list outside",
            said: "Cannot modify managed List outside of a write transaction."
        ) { _, _, dog in dog.tags.append("b") },
    ]

    private static let objects = [
        Mistake(name: "deleted", said: "Object has been deleted or invalidated.") {
            _, realm, dog in
            try realm.write { realm.delete(dog) }
            _ = dog.name
        },
        Mistake(
            name: "of another realm",
            said:
                "Object is already managed by another Realm. Use create instead to copy it into this Realm."
        ) {
            _, _, dog in
            let other = try RealmLab(RealmTests.types)
            let realm = try other.open()
            try realm.write { realm.add(dog) }
        },
        Mistake(
            name: "adding a deleted one",
            said: "Adding a deleted or invalidated object to a Realm is not permitted"
        ) { _, realm, dog in
            try realm.write {
                realm.delete(dog)
                realm.add(dog)
            }
        },
        Mistake(
            name: "deleting a stranger",
            said: "Can only delete an object from the Realm it belongs to."
        ) { _, realm, _ in try realm.write { realm.delete(Dog()) } },
        Mistake(
            name: "deleting the objects of a stranger's map",
            said: "Can only delete objects from the Realm they belong to."
        ) { _, realm, _ in
            let lab = try RealmLab(RealmTests.types + [Things.self])
            let other = try lab.open()
            let things = try other.write { other.create(Things.self) }
            try realm.write { realm.delete(things.dogs) }
            withExtendedLifetime(lab) {}
        },
        Mistake(
            name: "updating without a key",
            said: "'Owner' does not have a primary key and can not be updated"
        ) { _, realm, _ in try realm.write { realm.add(Owner(), update: .all) } },
        Mistake(
            name: "the same key",
            said:
                "Attempting to create an object of type 'Dog' with an existing primary key value '1'"
        ) { _, realm, _ in try realm.write { realm.add(Dog(value: ["id": 1])) } },
        Mistake(
            name: "another key", said: "Primary key can't be changed after an object is inserted."
        ) { _, realm, dog in try realm.write { dog.id = 2 } },
        Mistake(name: "a wrong value", said: "Invalid value 'x' of type") { _, _, _ in
            _ = Dog(value: ["id": "x"])
        },
        Mistake(
            name: "a longer array", said: "Invalid array input: more values ("
        ) { _, realm, _ in
            _ = try realm.write { realm.create(Collected.self, value: [1, 2, 3]) }
        },
        Mistake(
            name: "a class of no realm", said: "Object type 'Stray' is not managed by the Realm."
        ) {
            _, realm, _ in _ = realm.objects(Stray.self)
        },
    ]

    private static let collections = [
        Mistake(name: "a place that is not", said: "out of bounds") { _, _, dog in
            _ = dog.tags[5]
        },
        Mistake(name: "THR-84: a frozen element", said: "already managed by another Realm") {
            _, realm, dog in
            let frozen = dog.freeze()
            try realm.write { dog.friends.append(frozen) }
        },
        Mistake(
            name: "a deleted list",
            said: "List has been deleted or invalidated and is no longer valid."
        ) {
            _, realm, dog in
            let tags = dog.tags
            try realm.write { realm.delete(dog) }
            _ = tags[0]
        },
        Mistake(name: "ACT-42: observing nothing", said: "managed") { _, _, _ in
            _ = List<Int>().observe { _ in }
        },
        Mistake(
            name: "observing an unmanaged object",
            said: "Only objects which are managed by a Realm support change notifications"
        ) { _, _, _ in
            _ = Dog().observe { (_: ObjectChange<Dog>) in }
        },
        Mistake(name: "THR-75: observing what is frozen", said: "Frozen Realms do not change") {
            _, realm, _ in _ = realm.objects(Dog.self).freeze().observe { _ in }
        },
        Mistake(
            name: "observing on a thread",
            said: "Can only add notification blocks from within runloops."
        ) { _, realm, _ in _ = realm.objects(Dog.self).observe { _ in } },
    ]

    private static let others = [
        Mistake(
            name: "THR-55: twice", said: "Can only resolve a thread safe reference once."
        ) { _, realm, dog in
            let reference = ThreadSafeReference(to: dog)
            _ = realm.resolve(reference)
            _ = realm.resolve(reference)
        },
        Mistake(
            name: "a reference to nothing stored",
            said:
                "Cannot construct reference to unmanaged object, which can be passed across threads directly"
        ) { _, _, _ in _ = ThreadSafeReference(to: Dog()) },
        Mistake(
            name: "a reference to something deleted",
            said: "Cannot construct reference to invalidated object"
        ) { _, realm, dog in
            try realm.write { realm.delete(dog) }
            _ = ThreadSafeReference(to: dog)
        },
        Mistake(
            name: "wrapping nothing stored",
            said: "Only managed objects may be wrapped as thread safe."
        ) { _, _, _ in _ = ThreadSafe(wrappedValue: Dog()) },
        Mistake(
            name: "refreshing what never changes",
            said: "Read-only Realms do not change and cannot be refreshed."
        ) { lab, realm, _ in
            try readOnly(lab, realm).refresh()
        },
        Mistake(
            name: "autorefresh of what is frozen",
            said: "Auto-refresh cannot be enabled for frozen Realms."
        ) { _, realm, _ in realm.freeze().autorefresh = true },
        Mistake(
            name: "two primary keys", said: "are both marked as the primary key of 'TwoKeys'"
        ) { _, _, _ in _ = try RealmLab([TwoKeys.self]).open() },
        Mistake(name: "no properties", said: "No properties are defined for 'Bare'") { _, _, _ in
            _ = try RealmLab([Bare.self]).open()
        },
    ]
}

private struct Box<T>: @unchecked Sendable {
    let value: T
    let body: (T) -> Void
}

/// A class that no configuration of the tests contains.
final class Stray: Object { @Persisted var a: Int }
final class Collected: Object {
    @Persisted var a: Int
    @Persisted var b: Int
}
final class TwoKeys: Object {
    @Persisted(primaryKey: true) var a: Int
    @Persisted(primaryKey: true) var b: Int
}
final class Bare: Object {}
