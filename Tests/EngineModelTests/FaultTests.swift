import Foundation
import Glibc
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Full or broken disks at each call of a commit: the previous version stays valid, and the handle
/// writes no more.
@Suite struct FaultTests {
    private static let causes = [ENOSPC, EIO]

    @Test("THR-97: a failed write leaves the old version", arguments: causes, [false, true])
    func everyFailedCallLeavesTheOldVersion(_ code: Int32, _ tears: Bool) throws {
        try everyCall(code, tears, nil)
    }

    /// Runs the faults for encrypted files, in which each page's entry is written before the page.
    @Test(arguments: causes, [false, true])
    func everyFailedCallLeavesTheOldEncryptedVersion(_ code: Int32, _ tears: Bool) throws {
        try everyCall(code, tears, try EncryptedImage.key())
    }

    private func everyCall(_ code: Int32, _ tears: Bool, _ key: EncryptionKey?) throws {
        let folder = try ScratchFolder()
        var shape = Self.shape
        shape.key = key
        let run = try ModelRun(path: folder.file("base.realm"), seed: 7, shape: shape)
        try run.run(operations: 400)
        let error = systemError("pwrite", "disk", errno: code, kind: .output)
        var failing = 0
        while try fails(folder, run, failing, error, tears) { failing += 1 }
        #expect(failing >= 6)
    }

    private static var shape: ModelRun.Shape {
        var shape = ModelRun.Shape()
        shape.objects = 20
        shape.isDurable = true
        shape.spillPercent = 0
        return shape
    }

    /// Runs one commit whose call number `failing` fails; returns false if it needs fewer calls.
    private func fails(
        _ folder: ScratchFolder, _ base: ModelRun, _ failing: Int, _ error: RealmError,
        _ tears: Bool
    ) throws -> Bool {
        let path = folder.file("fault-\(failing).realm")
        try FileManager.default.copyItem(atPath: base.path, toPath: path)
        var device: FaultyDevice?
        let run = try ModelRun(
            continuing: path, seed: UInt64(failing), shape: base.shape, base.committed
        ) {
            device = FaultyDevice(
                $0, failing: failing, error, tears: tears, isEncrypted: base.shape.key != nil)
            return device!
        }
        var options = WriteSession.Options()
        options.isSeparate = true
        options.key = base.shape.key
        var other: WriteSession? = try WriteSession(path: path, options: options)
        guard let thrown = try commitError(run) else {
            #expect(!device!.hasFailed)
            return false
        }
        #expect(thrown.kind == .output && thrown.code == error.code)
        try refuses(run.session!, error)
        try checkOther(other!, base.committed)
        other = nil
        try checkReopened(path, run, base)
        return true
    }

    private func commitError(_ run: ModelRun) throws -> RealmError? {
        let transaction = try run.session!.begin()
        for _ in 0..<60 { try run.operate(transaction) }
        return Thrown.error { try transaction.commit() }
    }

    /// Every later attempt fails with the first error.
    private func refuses(_ session: WriteSession, _ error: RealmError) throws {
        for _ in 0..<2 {
            let again = Thrown.error { _ = try session.begin() }
            #expect(again?.code == error.code && again?.message == error.message)
        }
        #expect(
            try session.database.snapshot().table(
                session.database.schema.classes[0]
            ).count() >= 0)
    }

    /// Another participant of the session continues from the old version, or is rejected if the
    /// header may select the new one.
    private func checkOther(_ other: WriteSession, _ model: ModelDatabase) throws {
        guard let refusal = Thrown.error({ try other.begin().rollback() }) else {
            #expect(try model.difference(other.database.snapshot()) == nil)
            return
        }
        #expect(refusal.code == "SessionRestartRequired")
    }

    /// A new session opens at one of the two versions and can write.
    private func checkReopened(_ path: String, _ run: ModelRun, _ base: ModelRun) throws {
        let database = try Database(immutable: path, key: base.shape.key)
        let isNew = try run.model.difference(database.snapshot()) == nil
        let isOld = try base.committed.difference(database.snapshot()) == nil
        #expect(isNew != isOld)
        try run.close()
        let next = try ModelRun(
            continuing: path, seed: 1, shape: base.shape, isNew ? run.model : base.committed)
        try next.run(operations: 50)
    }
}
