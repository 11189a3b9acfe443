import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// After a crash or a power failure at any moment of a commit, the file opens at exactly the
/// version before or after it (storage format 5.11).
@Suite struct CrashTests {
    private static let shards = Array(0..<4)

    @Test("THR-91 THR-97: a crash leaves a whole version", arguments: shards)
    func everyCrashImageContainsAWholeVersion(_ shard: Int) throws {
        try images(shard, nil, commits: 60)
    }

    /// Runs the crash images for encrypted files: between syncs, pages and their entries may arrive
    /// separately, and any subset of a table's entries.
    @Test(arguments: shards) func everyEncryptedCrashImageContainsAWholeVersion(_ shard: Int) throws
    {
        // An image costs ten times as much as a plain one.
        try images(shard, try EncryptedImage.key(), commits: 12)
    }

    private func images(_ shard: Int, _ key: EncryptionKey?, commits: Int) throws {
        let commits = commits * ModelShapes.scale
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        var crash = try CrashRun(seed: seed &+ UInt64(shard), key)
        do {
            for _ in 0..<commits { try crash.commit() }
        } catch {
            Issue.record("shard \(shard), seed \(seed), image \(crash.images): \(error)")
        }
        #expect(crash.images > 20 * commits)
        #expect(crash.old > 5 * commits && crash.new > commits)
    }
}

/// Records commits call by call, and makes the images of each.
private struct CrashRun {
    private let folder: ScratchFolder
    private let run: ModelRun
    private var random: SeededRandom
    private let recorder: Recorder
    private(set) var images = 0
    private(set) var old = 0
    private(set) var new = 0

    private final class Recorder {
        var device: RecordingDevice?
    }

    init(seed: UInt64, _ key: EncryptionKey?) throws {
        folder = try ScratchFolder()
        random = SeededRandom(seed: seed)
        let recorder = Recorder()
        self.recorder = recorder
        var shape = ModelRun.Shape()
        shape.fanout = ModelShapes.small
        shape.objects = 8
        shape.elements = 5
        shape.operationsPerTransaction = 12
        shape.isDurable = true
        shape.key = key
        run = try ModelRun(path: folder.file("crash.realm"), seed: seed, shape: shape) {
            let device = RecordingDevice($0)
            recorder.device = device
            return device
        }
    }

    /// Runs one transaction, then checks every image of its commit.
    mutating func commit() throws {
        let before = FileImage(bytes: try bytes())
        let model = run.committed
        let version = run.session?.database.version ?? 1
        recorder.device?.calls = []
        // Flushes pages before the transaction ends, which writes them again.
        let isHasty = random.next() % 4 == 0
        (run.session?.device as? EncryptedDevice)?.maximumDirtyPages = isHasty ? 2 : 2048
        try run.step()
        let calls = recorder.device!.calls
        if calls.isEmpty { return }
        try prefixes(before, calls, version, model)
        try torn(before, calls, version, model)
    }

    private func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: run.path)))
    }

    /// Images after a crash of the process between two calls: earlier calls are complete.
    private mutating func prefixes(
        _ before: FileImage, _ calls: [RecordingDevice.Call], _ version: UInt64,
        _ model: ModelDatabase
    ) throws {
        var image = before
        try check(image, version, model)
        // A transaction that was rolled back may have spilled.
        let isCommit = run.session?.database.version != version
        for (i, call) in calls.enumerated() {
            image.apply(call)
            try check(image, version, model, isComplete: isCommit && i == calls.count - 1)
        }
    }

    /// Images after a power failure: of the calls since the last sync, any part has arrived.
    private mutating func torn(
        _ before: FileImage, _ calls: [RecordingDevice.Call], _ version: UInt64,
        _ model: ModelDatabase
    ) throws {
        var synced = before
        var from = 0
        for (i, call) in calls.enumerated() {
            guard case .sync = call else { continue }
            for attempt in 0..<12 {
                var image = synced
                let grain = run.shape.key != nil ? nil : attempt % 2 == 0 ? 8 : 512
                image.applySome(of: calls[from...i], grain: grain, &random)
                try check(image, version, model)
            }
            for call in calls[from...i] { synced.apply(call) }
            from = i + 1
        }
    }

    private mutating func check(
        _ image: FileImage, _ version: UInt64, _ model: ModelDatabase, isComplete: Bool = false
    ) throws {
        images += 1
        if image.bytes.isEmpty { return }
        let database = try image.database(run.shape.key)
        let isNew = database.version == version + 1
        guard isNew || (database.version == version && !isComplete) else {
            throw ModelRun.Failure(
                description: "version \(database.version) after \(version), complete \(isComplete)")
        }
        if isNew { new += 1 } else { old += 1 }
        let expected = isNew ? run.committed : model
        if let difference = try expected.difference(database.snapshot()) {
            throw ModelRun.Failure(description: "version \(database.version): \(difference)")
        }
        try ModelRun.audit(
            IntegrityCheck(database).run(), "version \(database.version)", crashed: true)
        if images % 40 == 0 { try checkNextWriter(image, expected) }
    }

    /// Continues with a writer, which must find a valid file.
    private func checkNextWriter(_ image: FileImage, _ expected: ModelDatabase) throws {
        let path = folder.file("next.realm")
        defer {
            for suffix in ["", ".lock", ".note"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try Data(image.bytes).write(to: URL(filePath: path))
        let next = try ModelRun(
            continuing: path, seed: UInt64(images), shape: run.shape, expected)
        try next.run(operations: 30)
    }
}
