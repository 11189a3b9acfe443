import Foundation
import RealmEngine
import RealmSamples
import RealmSamplesSwift5
import RealmSwift
import Testing

/// Runs every sample of the guides (API specification 4), compiled in the language modes of Swift 6
/// and of Swift 5. The samples share the default configuration, so they run one after the other.
@Suite(.serialized) struct SampleTests {
    @Test(arguments: RealmSamples.Samples.all.indices) func samplesRunInTheModeOfSwift6(
        _ index: Int
    ) async throws {
        let sample = RealmSamples.Samples.all[index]
        try await run(sample.name, RealmSamples.Samples.types, sample.run)
        #expect(RealmSamples.Samples.takeFailures() == [], "\(sample.name)")
    }

    @Test(arguments: RealmSamplesSwift5.Samples.all.indices)
    func samplesRunInTheModeOfSwift5(_ index: Int) async throws {
        let sample = RealmSamplesSwift5.Samples.all[index]
        try await run(sample.name, RealmSamplesSwift5.Samples.types, sample.run)
        #expect(RealmSamplesSwift5.Samples.takeFailures() == [], "\(sample.name)")
    }

    /// The spelling that only Swift 5 permits.
    @Test func swift5PermitsWrappedLocalVariables() async throws {
        try await run("T3", RealmSamplesSwift5.Samples.types) {
            try await RealmSamplesSwift5.Samples.wrappedLocalVariable()
        }
        #expect(RealmSamplesSwift5.Samples.takeFailures() == [])
    }

    private func run(
        _ name: String, _ types: [ObjectBase.Type], _ body: () async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("realm-sample-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("default.realm")
        Realm.Configuration.defaultConfiguration = Realm.Configuration(
            fileURL: file, objectTypes: types)
        try await body()
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        #expect(try IntegrityCheck.run(path: file.path).isClean, "\(name)")
    }
}
