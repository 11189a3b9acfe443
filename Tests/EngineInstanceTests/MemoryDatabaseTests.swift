import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// In-memory databases.
@Suite struct MemoryDatabaseTests {
    private static func open(
        _ name: String, on confinement: Confinement = .thread
    ) throws(RealmError) -> Instance {
        try Instance.open(Instance.Configuration(inMemory: name), on: confinement)
    }

    private static func createDogs(_ instance: Instance, _ count: Int) throws -> TableKey {
        try instance.write { (transaction) throws(RealmError) in
            let table = try transaction.createClass("Dog")
            try transaction.addProperty(table, PropertySpec("name", .string))
            for i in 0..<count {
                let key = try transaction.create(in: table)
                try "dog \(i)".withView { view in
                    Result { () throws(RealmError) in
                        try transaction.set(table, key, 0, .string(view))
                    }
                }.get()
            }
            return table
        }
    }

    @Test func instancesOfOneNameShareTheDatabase() throws {
        let here = try Self.open("sharedByName")
        let table = try Self.createDogs(here, 3000)
        let queue = WorkQueue("other")
        let count = queue.sync {
            let other = try! Self.open("sharedByName", on: queue.confinement)
            defer { other.close() }
            return try! other.snapshot().table(table).count()
        }
        #expect(count == 3000)
        #expect(try Self.open("another").schema.tables.isEmpty)
        let report = IntegrityCheck(here.database).run()
        #expect(report.errorCount == 0, "\(report.findings)")
        queue.close()
    }

    @Test func theDatabaseEndsWithItsLastInstance() throws {
        let first = try Self.open("endsWithItsLast")
        _ = try Self.createDogs(first, 10)
        let frozen = try first.freeze()
        first.close()
        // A frozen instance retains the database.
        #expect(try !Self.open("endsWithItsLast").schema.tables.isEmpty)
        _ = frozen
    }

    @Test func aNewDatabaseOfTheSameNameIsEmpty() throws {
        do {
            let first = try Self.open("nothingIsLeft")
            _ = try Self.createDogs(first, 10)
            first.close()
        }
        #expect(try Self.open("nothingIsLeft").schema.tables.isEmpty)
    }

    /// No file is created, neither in the working directory nor in any place where the process has
    /// a file open.
    @Test func createsNoFiles() async {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            chdir(folder.path)
            let queue = WorkQueue("watcher")
            let diary = Diary()
            let box = queue.sync { () -> Unchecked<(Instance, ObservationToken)> in
                let instance = try! Self.open("makesNoFiles", on: queue.confinement)
                return Unchecked(
                    (instance, instance.observe { notice in diary.note("\(notice)") }))
            }
            let here = try Self.open("makesNoFiles")
            let table = try Self.createDogs(here, 10)
            diary.wait(for: 1)
            let frozen = try here.freeze()
            try here.write { (transaction) throws(RealmError) in
                _ = try transaction.create(in: table)
            }
            diary.wait(for: 2)
            #expect(try frozen.snapshot().table(table).count() == 10)
            for name in try openFiles() where !name.hasPrefix("/memfd:") {
                #expect(!name.contains("makesNoFiles") && !name.hasPrefix(folder.path))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            _ = box
        }
    }

    @Test func asynchronousWritesComplete() throws {
        let (queue, diary) = (WorkQueue("async"), Diary())
        queue.async {
            let instance = try! Self.open("asynchronousWrites", on: queue.confinement)
            let table = try! Self.createDogs(instance, 1)
            for i in 0..<50 {
                try! instance.writeAsync(allowGrouping: i % 2 == 0) { transaction in
                    _ = try! transaction.create(in: table)
                } onComplete: { error in
                    if error == nil, i < 49 { return }
                    let count = try! instance.snapshot().table(table).count()
                    diary.note("\(count) \(String(describing: error))")
                }
            }
        }
        diary.wait(for: 1)
        #expect(diary.all == ["51 nil"])
        queue.close()
    }
}

/// Paths of the files that the process has open.
private func openFiles() throws -> [String] {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
}
