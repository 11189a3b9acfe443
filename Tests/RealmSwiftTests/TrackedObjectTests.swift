import Foundation
import Observation
import RealmSwift
import Synchronization
import Testing

final class Plant: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var height: Int
    @Persisted var leaves: List<Int>
    var label: String { "\(name) of \(height) cm" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Properties of objects that the Observation module tracks.
@Suite struct TrackedObjectTests {
    private func lab() throws -> RealmLab {
        let lab = try RealmLab([Plant.self])
        let realm = try lab.open()
        try realm.write { realm.create(Plant.self, value: ["id": 1, "name": "oak"]) }
        return lab
    }

    @Test func changesOfOtherThreadsAreReportedByProperty() async throws {
        let lab = try lab()
        let gardener = try await Gardener(lab.configuration)
        let seen = try await gardener.follow([
            ("height", { $0.height = 3 }), ("name", { $0.name = "elm" }),
            ("leaves", { $0.leaves.append(7) }),
        ])
        #expect(
            seen == [
                ["height 3", "label oak of 3 cm"], ["label elm of 3 cm", "name elm"],
                ["leaves [7]"],
            ])
        #expect(try await gardener.followDeletion() == ["isInvalidated", "label", "name"])
        await gardener.close()
        try lab.check()
    }

    @Test func observationsYieldTheValuesAfterCommits() async throws {
        let lab = try lab()
        let gardener = try await Gardener(lab.configuration)
        #expect(try await gardener.heights(upTo: 5) == 5)
        await gardener.close()
        try lab.check()
    }

    @Test func cancelledTransactionsAreNotReported() async throws {
        let lab = try lab()
        let gardener = try await Gardener(lab.configuration)
        #expect(try await gardener.followCancelled() == "height 2")
        await gardener.close()
        try lab.check()
    }

    @Test func unmanagedObjectsReportWritesThroughThem() {
        let plant = Plant(value: ["name": "fern"]).tracked
        let changed = Changed()
        withObservationTracking {
            _ = plant.name
        } onChange: {
            changed.add("name")
        }
        withObservationTracking {
            _ = plant.label
        } onChange: {
            changed.add("label")
        }
        withObservationTracking {
            _ = plant.height
        } onChange: {
            changed.add("height")
        }
        plant.name = "moss"
        #expect(changed.names == ["label", "name"])
        #expect(plant.name == "moss" && plant.object.name == "moss")
    }

    @Test func frozenObjectsAreReadThroughTrackedOnes() throws {
        let lab = try lab()
        let plant = try #require(lab.open().object(ofType: Plant.self, forPrimaryKey: 1)).freeze()
        #expect(plant.tracked.name == "oak" && plant.tracked.label == "oak of 0 cm")
    }
}

/// Names of properties that were reported, from any thread.
private final class Changed: Sendable {
    private let all = Mutex<Set<String>>([])
    var names: [String] { all.withLock { $0.sorted() } }
    func add(_ name: String) { all.withLock { _ = $0.insert(name) } }
}

/// Tracks the object of a file on an actor, while another thread changes it.
private actor Gardener {
    typealias Edit = @Sendable (Plant) -> Void
    private let configuration: Realm.Configuration
    private var realm: Realm!
    private var plant: TrackedObject<Plant>!

    init(_ configuration: Realm.Configuration) async throws {
        self.configuration = configuration
        realm = try await Realm(configuration: configuration, actor: self)
        plant = realm.object(ofType: Plant.self, forPrimaryKey: 1)!.tracked
    }

    func close() { (plant, realm) = (nil, nil) }

    /// Commits a change on another thread.
    private func commit(_ edit: @escaping Edit) async throws {
        let configuration = configuration
        try await Task.detached {
            let realm = try Realm(configuration: configuration)
            let plant = realm.object(ofType: Plant.self, forPrimaryKey: 1)!
            try realm.write { edit(plant) }
        }.value
    }

    private func text(_ name: String) -> String {
        switch name {
        case "name": "name \(plant.name)"
        case "height": "height \(plant.height)"
        case "leaves": "leaves \(Array(plant.leaves))"
        default: "label \(plant.label)"
        }
    }

    /// Tracks each property separately and passes the names of changed ones to `changed`.
    private func track(_ changed: AsyncStream<String>.Continuation) {
        for name in ["name", "height", "leaves", "label"] {
            withObservationTracking {
                _ = text(name)
            } onChange: {
                changed.yield(name)
            }
        }
    }

    /// Makes changes one by one and returns the texts of the properties that are reported.
    func follow(_ edits: [(name: String, edit: Edit)]) async throws -> [[String]] {
        var seen: [[String]] = []
        for (name, edit) in edits {
            let (names, changed) = AsyncStream<String>.makeStream()
            track(changed)
            try await commit(edit)
            var reported: Set<String> = []
            for await other in names {
                reported.insert(other)
                // A change is reported in one call, so all names are there with the first.
                if reported.contains(name), reported.contains("label") || name == "leaves" { break }
            }
            seen.append(reported.sorted().map { text($0) })
        }
        return seen
    }

    func followDeletion() async throws -> [String] {
        let (names, changed) = AsyncStream<String>.makeStream()
        withObservationTracking {
            _ = plant.name
        } onChange: {
            changed.yield("name")
        }
        withObservationTracking {
            _ = plant.label
        } onChange: {
            changed.yield("label")
        }
        withObservationTracking {
            _ = plant.isInvalidated
        } onChange: {
            changed.yield("isInvalidated")
        }
        try await commit { $0.realm!.delete($0) }
        var seen: Set<String> = []
        for await name in names {
            seen.insert(name)
            if seen.count == 3 { break }
        }
        #expect(plant.isInvalidated)
        return seen.sorted()
    }

    func followCancelled() async throws -> String {
        let (names, changed) = AsyncStream<String>.makeStream()
        withObservationTracking {
            _ = plant.height
        } onChange: {
            changed.yield("height")
        }
        realm.beginWrite()
        plant.height = 1
        realm.cancelWrite()
        try await realm.asyncWrite { plant.height = 2 }
        for await name in names { return "\(name) \(plant.height)" }
        return ""
    }

    /// Returns the last height that a sequence of observations yields.
    func heights(upTo last: Int) async throws -> Int {
        let heights = Observations { self.plant.height }
        let writer = Task {
            for height in 1...last { try await self.commit { $0.height = height } }
        }
        var seen = -1
        for await height in heights {
            #expect(height >= seen)
            seen = height
            if height == last { break }
        }
        try await writer.value
        return seen
    }
}
