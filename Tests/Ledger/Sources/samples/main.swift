import Foundation
import RealmSamples
import RealmSwift

// Runs every sample once, each with a new file. Exits with 1 if a check fails.

var failures: [String] = []
for sample in Samples.all {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("samples-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    Realm.Configuration.defaultConfiguration = Realm.Configuration(
        fileURL: folder.appendingPathComponent("default.realm"), objectTypes: Samples.types)
    try await sample.run()
    failures += Samples.takeFailures().map { "\(sample.name): \($0)" }
}
for failure in failures { print(failure) }
print("\(Samples.all.count) samples, \(failures.count) failures")
exit(failures.isEmpty ? 0 : 1)
