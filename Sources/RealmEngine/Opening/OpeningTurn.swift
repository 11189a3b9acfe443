import Synchronization

/// Lets only one thread of this process open a file at a time. The thread that is opening the file
/// holds the mutex of `opened`; other threads wait for it.
///
/// Free to cross threads.
final class OpeningTurn: Sendable {
    /// Identifies a file by its path without symbolic links, or a database in memory by its
    /// identifier.
    enum Key: Hashable {
        case file(String)
        case memory(String)
    }

    /// The settings with which this process opened a file, for comparison with later requests.
    struct Opened {
        private weak var known: Database?
        private var isReadOnly = false
        private var version: UInt64?
        /// The `WantedSchema` objects to which the file was updated.
        private var updatedSchemas: [WantedSchema] = []

        var database: Database? { known }

        /// Throws `misuse` if the file is open with settings that differ from the request.
        func checkAgreement(_ request: OpeningRequest) throws(RealmError) {
            guard known != nil else { return }
            guard isReadOnly == request.isReadOnly else {
                throw Self.refusal(request, "read permissions")
            }
            guard let version, let wanted = request.schema, version != wanted.version else {
                return
            }
            throw Self.refusal(request, "schema version")
        }

        private static func refusal(_ request: OpeningRequest, _ what: String) -> RealmError {
            let path = request.configuration.path
            return .misuse(
                "Realm at path '\(path)' already opened with different \(what).",
                code: "MismatchedConfig", reason: "already-open")
        }

        func isUpToDate(_ schema: WantedSchema) -> Bool {
            known != nil && updatedSchemas.contains { $0 === schema }
        }

        mutating func note(_ database: Database, _ request: OpeningRequest) {
            if known !== database { self = Opened() }
            known = database
            isReadOnly = request.isReadOnly
            guard let schema = request.schema else { return }
            version = schema.version
            if !isUpToDate(schema) { updatedSchemas.append(schema) }
        }
    }

    private let opened = LockedValue(Opened())
    /// Number of the thread that is opening the file; 0 if there is none.
    private let owner = Atomic<UInt>(0)
    /// Number of threads that are opening the file or wait to open it. The mutex of `turns` guards
    /// this number.
    nonisolated(unsafe) private var users = 0

    private static let turns = LockedValue<[Key: OpeningTurn]>([:])

    private init() {}

    /// Waits until no other thread of this process is opening the file of `request`, and runs
    /// `body`. Until `body` returns, no other thread can open the file.
    ///
    /// Throws `misuse` if the calling thread is already opening the file. This happens if a
    /// migration opens its own file: it would wait for itself.
    static func run<R>(
        _ request: OpeningRequest, _ body: (inout Opened) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        let configuration = request.configuration
        let key: Key =
            configuration.isInMemory
            ? .memory(configuration.path) : .file(DatabasePath(configuration.path).path)
        let turn = turns.withLock { turns -> OpeningTurn in
            let turn = turns[key] ?? OpeningTurn()
            turns[key] = turn
            turn.users += 1
            return turn
        }
        defer { leave(turn) }
        return try turn.run(configuration.path, body)
    }

    private func run<R>(
        _ path: String, _ body: (inout Opened) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        guard owner.load(ordering: .relaxed) != Threads.current else {
            throw .misuse(
                "the database is being opened by this thread: a migration cannot open it again",
                code: "IllegalOperation", reason: "opening", hint: nil)
        }
        return try opened.withLock { (opened) throws(RealmError) in
            owner.store(Threads.current, ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            return try body(&opened)
        }
    }

    /// Forgets the settings with which a database in memory was opened, so that the next request
    /// may have other settings.
    fileprivate static func removeMemoryDatabase(_ identifier: String) {
        turns.withLock { $0[.memory(identifier)] = nil }
    }

    /// Called by a thread that has finished opening a file. Removes from `turns` all files that are
    /// not open and that no thread is opening.
    private static func leave(_ turn: OpeningTurn) {
        turns.withLock { turns in
            turn.users -= 1
            turns = turns.filter { $0.value.users > 0 || $0.value.isInUse }
        }
    }

    /// Whether the file is open in this process. Locks the mutex of `opened`, so the caller must
    /// make sure that no thread is opening the file.
    private var isInUse: Bool { opened.withLock { $0.database != nil } }
}

extension Database {
    /// Removes a database in memory from the registry. Opening this identifier again creates
    /// another database, even while the removed one is in use. No thread may be opening the
    /// identifier at the same time.
    package static func forget(inMemory identifier: String) {
        removeMemoryDatabase(identifier)
        OpeningTurn.removeMemoryDatabase(identifier)
    }
}
