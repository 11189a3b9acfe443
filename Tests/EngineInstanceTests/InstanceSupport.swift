@testable import EngineSupport
@testable import RealmEngine

/// A database with a class of one integer property, for tests of instances.
final class InstanceLab: @unchecked Sendable {
    let folder: ScratchFolder
    let table: TableKey
    var configuration: Instance.Configuration

    init(isDurable: Bool = false) throws {
        folder = try ScratchFolder()
        configuration = Instance.Configuration(path: folder.file("instance.realm"))
        configuration.isDurable = isDurable
        configuration.creation = .ifMissing
        let instance = try Instance.open(configuration)
        table = try instance.write { (transaction) throws(RealmError) in
            let table = try transaction.createClass("Dog")
            try transaction.addProperty(table, PropertySpec("age", .int))
            return table
        }
        instance.close()
    }

    var path: String { configuration.path }

    /// Options with which instances open the database.
    var openOptions: Database.Options {
        var options = Database.Options()
        options.isDurable = configuration.isDurable
        return options
    }

    func open(on confinement: Confinement = .thread) throws -> Instance {
        try Instance.open(configuration, on: confinement)
    }

    func count(_ instance: Instance) -> Int {
        (try? instance.snapshot().table(table).count()) ?? -1
    }

    func add(_ instance: Instance, age: Int64 = 0) throws(RealmError) -> ObjectKey {
        let key = try instance.write.create(in: table)
        try instance.write.set(table, key, 0, .int(age))
        return key
    }

    /// Waits until no asynchronous write is pending in this database; other tests have their own
    /// databases.
    func settle() throws {
        try CommitQueue.queue(of: Database.open(path, openOptions)).wait()
    }

    func audit() throws {
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }
}

/// Records events in order. Free to cross threads.
final class Diary: @unchecked Sendable {
    private let monitor = Monitor()
    private var lines: [String] = []

    func note(_ line: String) { monitor.signal { lines.append(line) } }
    var all: [String] { monitor.locked { lines } }
    func wait(for count: Int) { monitor.wait { lines.count >= count } }
}
