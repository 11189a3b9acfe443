extension Database {
    /// Databases in memory by what they are called; a forked copy of the process shares none.
    private struct Identifier: Hashable {
        let name: String
        let generation = ForkGeneration.current
    }

    private static let memories = LockedValue<[Identifier: Weak<Database>]>([:])

    /// The database in memory that goes by `identifier` in this process, begun without any classes if
    /// there is none. With its last reference its content is gone: it is in no file, and neither is
    /// anything that files have beside them.
    ///
    /// Throws `output` when there is no memory.
    public static func inMemory(_ identifier: String) throws(RealmError) -> Database {
        let key = Identifier(name: identifier)
        let result = memories.withLock { memories -> Result<Database, RealmError> in
            if let known = memories[key]?.object { return .success(known) }
            memories = memories.filter { $0.value.object != nil }
            return Result { () throws(RealmError) in
                let fresh = try Database(inMemory: identifier)
                memories[key] = Weak(fresh)
                return fresh
            }
        }
        do throws(RealmError) { return try result.get() } catch { throw error.inFile(identifier) }
    }

    /// Who opens a database of this name from now on gets a new one, whoever has the other.
    static func forgetMemory(_ identifier: String) {
        memories.withLock { $0[Identifier(name: identifier)] = nil }
    }

    /// A database in memory that nobody else can open.
    static func withoutName() throws(RealmError) -> Database { try Database(inMemory: "memory") }

    private convenience init(inMemory name: String) throws(RealmError) {
        let device = try FileDevice(memory: name)
        let prepared = try FilePreparation(device, makesDatabases: true).run()
        let mapped = if let prepared { prepared } else { try MappedFile(device) }
        let session = try Session(inMemory: try Session.Attachment(mapped), isDurable: false)
        try self.init(mapped, session: session)
    }
}
