import RealmEngine

/// The file of a run, and how participants open it.
struct ItemFile: Sendable {
    let path: String
    /// Whether the run begins without the file. The first participant then creates it.
    let isNew: Bool
    let key: EncryptionKey?

    var isEncrypted: Bool { key != nil }

    private static let key: EncryptionKey = {
        do { return try EncryptionKey.random() } catch { fatalError("\(error)") }
    }()

    static let all = [
        ItemFile(path: "/sim/plain.realm", isNew: false, key: nil),
        ItemFile(path: "/sim/secret.realm", isNew: false, key: key),
        ItemFile(path: "/sim/new.realm", isNew: true, key: nil),
        ItemFile(path: "/sim/new-secret.realm", isNew: true, key: key),
    ]

    /// Opens the file as a participant.
    func open() throws(RealmError) -> Database {
        var options = Database.Options()
        options.key = key
        if isNew { options.creation = .ifMissing }
        return try Database.open(path, options)
    }

    /// Opens the file for writing.
    func writeSession() throws(RealmError) -> WriteSession {
        let database = try open()
        defer { withExtendedLifetime(database) {} }
        var options = WriteSession.Options()
        options.key = key
        return try WriteSession(path: path, options: options)
    }

    /// Opens an instance in the context of `loop`.
    func instance(on loop: ThreadLoop) throws(RealmError) -> Instance {
        var configuration = Instance.Configuration(path: path)
        configuration.key = key
        if isNew { configuration.creation = .ifMissing }
        return try Instance.open(configuration, on: loop.confinement)
    }

    /// Creates the file with its class and a few objects; returns the version.
    func create(_ values: [UInt64]) throws(RealmError) -> UInt64 {
        var options = WriteSession.Options()
        options.creates = true
        options.key = key
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        for (key, value) in values.enumerated() {
            try ItemDatabase.set(key, value, in: transaction)
        }
        return try transaction.commit()
    }
}
