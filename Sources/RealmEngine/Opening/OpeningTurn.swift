import Synchronization

/// Makes threads of this process that open the same file wait for each other. The thread that opens
/// the file has the turn.
///
/// Free to cross threads; only the thread that has the turn may use `opened`.
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
    /// Number of the thread that is opening the file and thus has the turn; 0 if there is none.
    private let owner = Atomic<UInt>(0)
    /// Number of threads that have the turn or wait for it. The mutex of `turns` guards this
    /// number.
    nonisolated(unsafe) private var users = 0

    private static let turns = LockedValue<[Key: OpeningTurn]>([:])

    private init() {}

    /// Waits until no other thread is opening the file, and runs `body` while this thread has the
    /// turn.
    ///
    /// Throws `misuse` if the calling thread has the turn already. This happens if a migration
    /// opens its own file: it would wait for itself.
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

    /// Removes the `OpeningTurn` of a database in memory, which stores its settings.
    fileprivate static func removeMemoryDatabase(_ identifier: String) {
        turns.withLock { $0[.memory(identifier)] = nil }
    }

    /// Called by a thread that has no more use for `turn`. Removes from `turns` all files that are
    /// not open and that no thread is opening.
    private static func leave(_ turn: OpeningTurn) {
        turns.withLock { turns in
            turn.users -= 1
            turns = turns.filter { $0.value.users > 0 || $0.value.isInUse }
        }
    }

    /// Whether the file is open in this process. Must be called while no thread has the turn,
    /// because a thread with the turn holds the mutex of `opened`.
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
