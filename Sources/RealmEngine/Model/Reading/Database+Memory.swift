extension Database {
    /// Name of an in-memory database. The fork generation makes a forked copy of the process use
    /// other databases than its parent.
    private struct Identifier: Hashable {
        let name: String
        let generation = ForkGeneration.current
    }

    private static let memories = LockedValue<[Identifier: Weak<Database>]>([:])

    /// Returns this process's in-memory database with `identifier`. Makes an empty one if there is
    /// none. Its content is freed with its last reference; it has no files.
    ///
    /// Throws `output` if no memory is available.
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

    /// Removes the name of an in-memory database. The next open of the name makes a new database,
    /// even if the old one is still referenced.
    static func removeMemoryDatabase(_ identifier: String) {
        memories.withLock { $0[Identifier(name: identifier)] = nil }
    }

    /// Makes an in-memory database that cannot be opened again.
    static func withoutName() throws(RealmError) -> Database { try Database(inMemory: "memory") }

    private convenience init(inMemory name: String) throws(RealmError) {
        let device = try FileDevice(memory: name)
        let prepared = try FilePreparation(device, createsDatabases: true).run()
        let mapped = if let prepared { prepared } else { try MappedFile(device) }
        let session = try Session(inMemory: try Session.Attachment(mapped), isDurable: false)
        try self.init(mapped, session: session)
    }
}
