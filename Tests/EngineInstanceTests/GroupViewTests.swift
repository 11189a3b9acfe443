import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Visibility of a group's commits before their flush, and without one.
@Suite struct GroupViewTests {
    private func session(_ folder: ScratchFolder) throws -> (WriteSession, TableKey) {
        let session = try WriteSession(path: folder.file("group.realm"), options: .scratch())
        let transaction = try session.begin()
        let table = try transaction.createClass("Dog")
        try transaction.addProperty(table, PropertySpec("name", .string))
        try transaction.commit()
        return (session, table)
    }

    private func view(_ session: WriteSession) throws -> Snapshot {
        Snapshot(
            session.database, try session.group!.head(),
            guardedBy: session.database.pinNewest())
    }

    private func names(_ snapshot: Snapshot, _ table: TableKey) throws -> [String] {
        let table = try snapshot.table(table)
        return try table.keys().map { key in
            guard case .string(let name)? = try table.row(key)?.value(0) else { return "?" }
            return name.string
        }
    }

    private func add(_ name: String, _ session: WriteSession, _ table: TableKey) throws {
        let transaction = try session.begin()
        let key = try transaction.create(in: table)
        let arena = ByteArena()
        try withExtendedLifetime(arena) {
            try transaction.set(table, key, 0, .string(PlainValue.view(Array(name.utf8), arena)))
        }
        try transaction.commit()
    }

    @Test("views of a group stay valid until they are released, then their memory is reused")
    func viewsOfAGroupStayValidUntilReleased() throws {
        let folder = try ScratchFolder()
        let (session, table) = try session(folder)
        var views: [Snapshot] = []
        var expected: [[String]] = []
        var all: [String] = []
        for round in 0..<6 {
            try session.openGroup()
            for i in 0..<5 {
                let name = String(repeating: "\(round)\(i)", count: 30 * i)
                try add(name, session, table)
                all.append(name)
                views.append(try view(session))
                expected.append(all)
                #expect(views.last!.isBorrowed)
                #expect(views.last!.version == UInt64(2 + all.count))
            }
            let before = session.database.version
            try session.flushGroup()
            session.closeGroup()
            #expect(session.database.version == before + 5)
            for (view, names) in zip(views, expected) {
                #expect(try self.names(view, table) == names)
            }
            // Compares snapshots from the slab with the durable version by content, because their
            // refs differ.
            let changes = try ChangeSet(from: views.last!, to: session.database.snapshot())
            #expect(changes.isEmpty)
            if round == 3 {
                views.removeFirst(12)
                expected.removeFirst(12)
            }
        }
        views = []
        try session.openGroup()
        try add("last", session, table)
        #expect(session.slab.view?.region.offset == 0)
        session.closeGroup()
        #expect(try names(session.database.snapshot(), table) == all)
        try ModelRun.audit(IntegrityCheck.run(path: session.database.path), "at the end")
    }

    @Test(
        "THR-13 THR-24: a failed flush fails every commit of the group once",
        arguments: 0..<4)
    func aFailedFlushFailsEveryCommitOnce(_ failing: Int) throws {
        let lab = try InstanceLab()
        let error = RealmError(.output, code: "WriteFailed", reason: "full", "the disk is full")
        var options = WriteSession.Options()
        options.isDurable = false
        let session = try WriteSession(path: lab.path, options: options) {
            FaultyDevice($0, failing: failing, error, tears: false)
        }
        let (queue, diary) = (WorkQueue("main"), Diary())
        let commits = Unchecked(CommitQueue(session))
        let kept = Unchecked(Kept())
        queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            instance.ownQueue = commits.value
            kept.value.instance = instance
            _ = instance.snapshot()
            kept.value.token = instance.observe { _ in diary.note("sees \(lab.count(instance))") }
            for i in 0..<3 {
                try! instance.writeAsync(allowGrouping: true) { _ in
                    _ = try! lab.add(instance)
                } onComplete: { error in
                    diary.note("\(i) \(error?.reason ?? "done") \(lab.count(instance))")
                }
            }
        }
        commits.value.wait()
        let lines = queue.sync { diary.all }
        #expect(
            lines == [
                "sees 1", "sees 2", "sees 3", "sees 0", "0 full 0", "1 full 0", "2 full 0",
            ], "\(lines)")
        queue.sync {
            _ = try! kept.value.instance!.writeAsync { _ in
                diary.note("never")
            } onComplete: { error in
                diary.note("refused \(error?.reason ?? "")")
            }
        }
        commits.value.wait()
        #expect(queue.sync { diary.all.last } == "refused full")
        queue.sync { kept.value.release() }
        queue.close()
        let report = try IntegrityCheck.run(path: lab.path)
        try ModelRun.audit(report, "at the end", crashed: true)
    }

    private final class Kept {
        var instance: Instance?
        var token: ObservationToken?

        func release() { (instance, token) = (nil, nil) }
    }
}
