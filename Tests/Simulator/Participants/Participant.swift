import RealmEngine
import SimulatedPlatform

/// A thread of a simulated process that uses the database. Every version it reads is compared with
/// the model, and an error that no fault explains ends the run.
struct Participant {
    private let board = Board()
    private var random: SplitRandom
    private let name: String
    private let file: ItemFile
    private var lastVersion: UInt64 = 0
    /// Whether errors are permitted here because a fault hit another process or a call.
    private let isTolerant: Bool

    /// - Parameter isAlone: whether all other processes have ended, and no call fails.
    init(_ name: String, _ file: ItemFile, seed: UInt64, isAlone: Bool = false) {
        self.name = name
        self.file = file
        isTolerant = !isAlone
        random = SplitRandom(seed)
    }

    // MARK: Kinds

    /// Commits a few transactions.
    mutating func write() {
        attempt { (self) throws(RealmError) in
            let session = try self.file.writeSession()
            for _ in 0..<(1 + self.random.below(5)) { try self.commit(session) }
        }
    }

    /// Opens and closes the database several times, with something to do in between.
    mutating func reopen() {
        for _ in 0..<(1 + random.below(3)) {
            attempt { (self) throws(RealmError) in
                if self.random.chance(50) {
                    try self.commit(self.file.writeSession())
                } else {
                    let acknowledged = self.board.acknowledged
                    let database = try self.file.open()
                    // Another thread may share the database and have opened it earlier.
                    try database.refresh()
                    try self.verify(database.snapshot(), since: acknowledged)
                }
            }
        }
    }

    /// Reads versions and keeps some of them pinned while others commit.
    mutating func read() {
        attempt { (self) throws(RealmError) in
            let database = try self.file.open()
            var pinned: [Snapshot] = []
            for _ in 0..<(2 + self.random.below(6)) {
                let acknowledged = self.board.acknowledged
                try database.refresh()
                let snapshot = database.snapshot()
                try self.verify(snapshot, since: acknowledged)
                if self.random.chance(60) { pinned.append(snapshot) }
                for _ in 0..<self.random.below(12) { sim_yield() }
                if let index = pinned.indices.randomElement(using: &self.random) {
                    try self.verify(old: pinned[index])
                    if self.random.chance(40) { pinned.remove(at: index) }
                }
            }
            for snapshot in pinned { try self.verify(old: snapshot) }
        }
    }

    /// Observes an instance on a loop of its own. Notifications move the instance to newer
    /// versions.
    ///
    /// - Parameter isPunctual: whether no thread oversleeps, so that a loop that waits for long has
    ///   missed no commit.
    mutating func watch(isPunctual: Bool) {
        // The second time, the process's listener has been idle.
        for _ in 0..<(1 + random.below(2)) {
            attempt { (self) throws(RealmError) in try self.watchOnce(isPunctual: isPunctual) }
        }
    }

    private mutating func watchOnce(isPunctual: Bool) throws(RealmError) {
        let loop = ThreadLoop()
        let instance = try file.instance(on: loop)
        defer { instance.close() }
        let token = try observe(instance)
        defer { token.invalidate() }
        for _ in 0..<(2 + random.below(5)) {
            let (acknowledged, start) = (board.acknowledged, sim_now())
            let version = instance.snapshot().version
            loop.run(milliseconds: 1000)
            if isPunctual, version < acknowledged, sim_now() - start > 900_000_000 {
                fail(
                    "a watcher at version \(version) slept for a second, though version "
                        + "\(acknowledged) was committed before")
            }
            try verify(instance.snapshot(), since: 0)
        }
    }

    private func observe(_ instance: Instance) throws(RealmError) -> ObservationToken {
        guard let table = instance.snapshot().schema.table(named: "Item") else {
            return instance.observe { _ in }
        }
        return try instance.observe(table: table.key) { _ in }
    }

    // MARK: Steps

    private mutating func commit(_ session: WriteSession) throws(RealmError) {
        let transaction = try session.begin()
        let base = transaction.version - 1
        guard let old = board.content(of: base) else {
            return fail("a transaction begins at version \(base), which nobody committed")
        }
        if random.chance(20) { try verify(transaction.snapshot(), as: old, base) }
        var content = old
        for _ in 0..<(1 + random.below(6)) {
            let key = random.below(Board.keyCount)
            content[key] = random.chance(25) ? 0 : random.next() | 1 << 60
            try ItemDatabase.set(key, content[key], in: transaction)
        }
        if random.chance(10) { return transaction.rollback() }
        board.propose(transaction.version, content)
        let version = try transaction.commit()
        board.acknowledge(version)
        try verify(session.database.snapshot(), since: version)
    }

    /// Compares a snapshot just made with the model. It is not older than `acknowledged`, which was
    /// committed before, nor than one that the participant has read.
    private mutating func verify(
        _ snapshot: Snapshot, since acknowledged: UInt64
    ) throws(RealmError) {
        let version = snapshot.version
        if version < max(lastVersion, acknowledged) {
            fail("version \(version) is read after version \(max(lastVersion, acknowledged))")
        }
        lastVersion = version
        try verify(old: snapshot)
    }

    /// Compares a snapshot with the model.
    private mutating func verify(old snapshot: Snapshot) throws(RealmError) {
        let version = snapshot.version
        guard let content = board.content(of: version) else {
            return fail("version \(version) is read, which nobody committed")
        }
        try verify(snapshot, as: content, version)
        if random.chance(15) { checkIntegrity(snapshot) }
    }

    private func verify(
        _ snapshot: Snapshot, as content: Board.Content, _ version: UInt64
    ) throws(RealmError) {
        board.countRead()
        guard let found = try ItemDatabase.content(of: snapshot) else {
            return fail("version \(version) has an object with parts of two values")
        }
        if found != content { fail("version \(version) has another content than was committed") }
    }

    private func checkIntegrity(_ snapshot: Snapshot) {
        let report = IntegrityCheck(snapshot).run()
        if report.errorCount > 0 {
            fail("version \(snapshot.version): \(report.findings.map(\.what))")
        }
    }

    // MARK: Recovery

    /// Runs first after a crash or after all processes have ended. Checks that the file has a
    /// version that was proposed and is not older than the last acknowledged one, and that it can
    /// be written.
    mutating func recover() {
        attempt { (self) throws(RealmError) in
            let database = try self.file.open()
            let snapshot = database.snapshot()
            let version = snapshot.version
            if version < self.board.acknowledged {
                self.fail("version \(self.board.acknowledged) was lost; \(version) is left")
            }
            guard let found = try ItemDatabase.content(of: snapshot),
                self.board.contents(of: version).contains(found)
            else { return self.fail("version \(version) after a crash has a wrong content") }
            self.board.adopt(version, found)
            self.checkIntegrity(snapshot)
            try self.commit(self.file.writeSession())
            try database.refresh()
            self.checkIntegrity(database.snapshot())
        }
    }

    // MARK: Failures

    private func fail(_ message: String) { sim_fail("\(name): \(message)") }

    /// Runs a part of the work. Ends the run if the part throws an error that no fault explains.
    private mutating func attempt(_ body: (inout Participant) throws(RealmError) -> Void) {
        do throws(RealmError) { try body(&self) } catch {
            if !isExplained(error) {
                fail("unexpected error \(error.code), \(error.reason): \(error.message)")
            }
        }
    }

    private func isExplained(_ error: RealmError) -> Bool {
        if error.isDamage || !isTolerant { return false }
        if error.code == "SessionRestartRequired" { return sim_deaths() > 0 || sim_any_faulted() }
        return sim_has_faulted() && (error.kind == .output || error.kind == .input)
    }
}
