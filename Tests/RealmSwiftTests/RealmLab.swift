import Foundation
import RealmEngine
import RealmSwift
import Testing

/// A temporary realm file with a configuration, whose integrity `check` verifies.
final class RealmLab {
    private let folder: URL
    var configuration: Realm.Configuration

    init(_ types: [ObjectBase.Type]) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("realm-swift-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("test.realm"), objectTypes: types)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func open() throws -> Realm { try Realm(configuration: configuration) }

    /// Checks the integrity of the file.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let report = try IntegrityCheck.run(path: configuration.fileURL!.path)
        #expect(report.isClean, sourceLocation: sourceLocation)
    }
}
