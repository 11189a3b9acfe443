import Dispatch
import Foundation
import RealmSwift

// Measures the cost of one access: `swift run -c release --package-path Tests/Ledger typed-bench
// [OBJECTS]`. Each line is the best of five runs in elapsed time, unless its unit says otherwise.
// `Measuring.md` of RealmSwift.docc has results.

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("typed-bench-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(at: folder) }
let configuration = Realm.Configuration(
    fileURL: folder.appendingPathComponent("bench.realm"),
    objectTypes: [Person.self, Ticket.self, Pair.self, Numbers.self, Member.self])

let realm = try Realm(configuration: configuration)
try fill(realm, count)
try objects(realm)
try queries(realm)
try handOver(realm)
try records(realm, min(count, 100_000))
try collections(realm, min(count, 640_000))
try await observing(configuration, queue: DispatchQueue(label: "bench"))
try await asynchronousWrites(configuration)
