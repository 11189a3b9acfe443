import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct CommitGroupTests {
    private final class Recorder {
        var device: RecordingDevice?
    }

    /// If the process or the power fails while a group of transactions is written, the file
    /// contains all or none of them; after the flush, all (THR-30, THR-91, THR-96).
    @Test(arguments: 0..<4) func aFailureLeavesAllOrNoneOfAGroup(_ shard: Int) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        let folder = try ScratchFolder()
        let path = folder.file("group.realm")
        var options = WriteSession.Options()
        options.creates = true
        options.isSeparate = true
        let recorder = Recorder()
        let session = try WriteSession(path: path, options: options) {
            let device = RecordingDevice($0)
            recorder.device = device
            return device
        }
        var transaction = try session.begin()
        let table = try transaction.createClass("Dog")
        try transaction.addProperty(table, PropertySpec("age", .int))
        try transaction.commit()
        var count = 0
        for round in 0..<6 {
            let before = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let (old, oldCount) = (session.database.version, count)
            recorder.device!.calls = []
            try session.openGroup()
            for i in 0..<(3 + round) {
                transaction = try session.begin()
                _ = try transaction.create(in: table)
                if i % 3 == 1 {
                    // A rollback must not affect other transactions of the group.
                    transaction.rollback()
                } else {
                    count += 1
                    try transaction.commit()
                }
            }
            #expect(session.database.version == old)
            try session.flushGroup()
            session.closeGroup()
            let calls = recorder.device!.calls
            #expect(calls.filter { if case .sync = $0 { true } else { false } }.count == 2)
            let new = session.database.version
            var image = FileImage(bytes: before)
            var lastSync = 0
            for (i, call) in calls.enumerated() {
                image.apply(call)
                let isLast = i == calls.count - 1
                try check(image, isLast ? new...new : old...new, old, oldCount, new, count, seed)
                if case .sync = call { lastSync = i }
                var torn = FileImage(bytes: before)
                for done in calls[..<lastSync] { torn.apply(done) }
                torn.applySome(of: calls[lastSync...i], grain: 512, &random)
                try check(torn, old...new, old, oldCount, new, count, seed)
            }
            #expect(try session.database.snapshot().table(table).count() == count)
        }
    }

    private func check(
        _ image: FileImage, _ allowed: ClosedRange<UInt64>, _ old: UInt64, _ oldCount: Int,
        _ new: UInt64, _ newCount: Int, _ seed: UInt64
    ) throws {
        let database = try image.database()
        let snapshot = database.snapshot()
        let version = snapshot.version
        #expect(version == old || version == new, "version \(version), seed \(seed)")
        #expect(allowed.contains(version), "seed \(seed)")
        let info = try #require(snapshot.schema.table(named: "Dog"))
        let count = try snapshot.table(info).count()
        #expect(count == (version == old ? oldCount : newCount), "seed \(seed)")
    }
}
