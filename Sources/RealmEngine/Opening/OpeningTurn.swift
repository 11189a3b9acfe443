import Synchronization

/// Opening a file is one step in a process: who comes meanwhile waits, and finds everything done.
///
/// Free to cross threads; `opened` belongs to whoever has the turn.
final class OpeningTurn: Sendable {
    /// A file by its name without links, or a database in memory by its identifier.
    enum Key: Hashable {
        case file(String)
        case memory(String)
    }

    /// What was agreed on while the file is open in this process.
    struct Opened {
        private weak var known: Database?
        private var isReadOnly = false
        private var version: UInt64?
        /// Wanted schemas that the file was brought in line with.
        private var settled: [WantedSchema] = []

        var database: Database? { known }

        /// Throws `misuse` when the request goes by other rules than those the file is open by.
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

        func isSettled(_ schema: WantedSchema) -> Bool {
            known != nil && settled.contains { $0 === schema }
        }

        mutating func note(_ database: Database, _ request: OpeningRequest) {
            if known !== database { self = Opened() }
            known = database
            isReadOnly = request.isReadOnly
            guard let schema = request.schema else { return }
            version = schema.version
            if !isSettled(schema) { settled.append(schema) }
        }
    }

    private let opened = LockedValue(Opened())
    /// The thread whose turn it is; 0 for none.
    private let owner = Atomic<UInt>(0)
    /// Those who have the turn or wait for it: guarded by the registry's mutex.
    nonisolated(unsafe) private var users = 0

    private static let turns = LockedValue<[Key: OpeningTurn]>([:])

    private init() {}

    /// Runs `body` when it is the caller's turn.
    ///
    /// Throws `misuse` when it is the caller's turn already: a migration that opens its own file would
    /// wait for itself.
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

    /// What was agreed on for a database in memory.
    fileprivate static func forgetMemory(_ identifier: String) {
        turns.withLock { $0[.memory(identifier)] = nil }
    }

    /// Entries of files that nobody has open go.
    private static func leave(_ turn: OpeningTurn) {
        turns.withLock { turns in
            turn.users -= 1
            turns = turns.filter { $0.value.users > 0 || $0.value.isInUse }
        }
    }

    /// Nobody has the turn: this waits for nothing.
    private var isInUse: Bool { opened.withLock { $0.database != nil } }
}

extension Database {
    /// Who opens a database of this name from now on gets a new one, whoever has the other. Nobody opens
    /// one meanwhile.
    package static func forget(inMemory identifier: String) {
        forgetMemory(identifier)
        OpeningTurn.forgetMemory(identifier)
    }
}
