import Foundation

/// Files written by the reference engine: those in the repository, and a larger collection beside
/// it if there is one.
enum Fixtures {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let own = repository.appending(path: "Tests/Fixtures")
    static let shared: URL? = {
        let path =
            ProcessInfo.processInfo.environment["REALM_FIXTURES"].map { URL(filePath: $0) }
            ?? repository.deletingLastPathComponent().appending(path: "shared/fixtures")
        return FileManager.default.fileExists(atPath: path.path) ? path : nil
    }()

    /// Returns all files in `folder` whose names end in `suffix`, of the repository's fixtures and
    /// of the larger collection.
    static func files(_ folder: String, _ suffix: String) -> [URL] {
        [own, shared].compactMap { $0 }.flatMap { root in
            let url = root.appending(path: folder)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
            return names.filter { $0.hasSuffix(suffix) }.sorted().map { url.appending(path: $0) }
        }
    }
}
