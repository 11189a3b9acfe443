import Dispatch
import Foundation
import RealmSwift
import Synchronization
import Testing

/// Observations for which a realm cannot be opened on the queue or actor that was given.
@Suite struct ObservationErrorTests {
    private let lab: RealmLab
    private let realm: Realm

    init() throws {
        lab = try RealmLab(RealmTests.types + [Things.self])
        realm = try lab.open()
        try realm.write {
            realm.create(Things.self, value: ["names": ["a": "b"]])
            realm.add(Dog())
        }
    }

    /// Replaces the file at the path of the realm, which keeps its own file open.
    private func replaceFile() throws {
        let url = lab.configuration.fileURL!
        try FileManager.default.removeItem(at: url)
        try Data(repeating: 7, count: 4096).write(to: url)
    }

    private static func code(_ error: any Error) -> Realm.Error.Code? {
        Realm.Error.Code(rawValue: (error as NSError).code)
    }

    @Test func observersOnAQueueReceiveTheError() throws {
        let queue = DispatchQueue(label: "observer")
        let codes = Mutex<[String: Realm.Error.Code?]>([:])
        queue.suspend()
        let dogs = realm.objects(Dog.self)
        let things = realm.objects(Things.self)[0]
        let tokens = [
            dogs.observe(on: queue) { change in
                guard case .error(let error) = change else { return }
                codes.withLock { $0["collection"] = Self.code(error) }
            },
            things.names.observe(on: queue) { change in
                guard case .error(let error) = change else { return }
                codes.withLock { $0["map"] = Self.code(error) }
            },
            things.observe(on: queue) { (change: ObjectChange<Things>) in
                guard case .error(let error) = change else { return }
                codes.withLock { $0["object"] = Self.code(error) }
            },
        ]
        try replaceFile()
        queue.resume()
        queue.sync {}
        #expect(
            codes.withLock { $0 } == [
                "collection": .alreadyOpen, "map": .alreadyOpen, "object": .alreadyOpen,
            ])
        for token in tokens { token.invalidate() }
    }

    @Test func endedObservationsReceiveNoError() throws {
        let queue = DispatchQueue(label: "observer")
        let count = Mutex(0)
        queue.suspend()
        let token = realm.objects(Dog.self).observe(on: queue) { _ in count.withLock { $0 += 1 } }
        _ = consume token
        try replaceFile()
        queue.resume()
        queue.sync {}
        #expect(count.withLock { $0 } == 0)
    }

    private actor Reader {
        private(set) var code: Realm.Error.Code?

        func take(_ change: RealmCollectionChange<Results<Dog>>) {
            guard case .error(let error) = change else { return }
            code = ObservationErrorTests.code(error)
        }
    }

    @MainActor @Test func observersOnAnActorReceiveTheError() async throws {
        let dogs = try lab.open().objects(Dog.self)
        try replaceFile()
        let reader = Reader()
        let token = await dogs.observe(on: reader) { reader, change in reader.take(change) }
        #expect(await reader.code == .alreadyOpen)
        #expect(!token.invalidate())
    }
}
