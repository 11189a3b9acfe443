import Foundation
import RealmEngine

/// The schema version of the file. Throws `Realm.Error` when it cannot be read, or has none.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    do throws(RealmError) {
        let key = try encryptionKey.map { data throws(RealmError) in try EncryptionKey.of(data) }
        let database = try Database(immutable: fileURL.path, key: key)
        if let version = database.snapshot().schema.version { return version }
    } catch {
        if Realm.isNoFile(fileURL) {
            throw Realm.Error(.fileAccess, userInfo: Realm.Error(error).userInfo)
        }
        if error.code != "FileNotFound", error.reason != "empty" { throw Realm.Error(error) }
    }
    throw Realm.Error(
        .invalidDatabase,
        userInfo: [
            NSLocalizedDescriptionKey:
                "Realm at path '\(fileURL.path)' has not been initialized.",
            "NSFilePath": fileURL.path,
        ])
}

extension EncryptionKey {
    static func of(_ data: Data) throws(RealmError) -> EncryptionKey {
        try data.withUnsafeBytes { bytes -> Result<EncryptionKey, RealmError> in
            Result { () throws(RealmError) in try EncryptionKey(bytes) }
        }.get()
    }
}

extension Realm {
    /// Brings the file to the configuration's schema, if need be, and lets go of it.
    public static func performMigration(
        for configuration: Realm.Configuration = .defaultConfiguration
    ) throws { _ = try Realm(configuration: configuration) }

    /// There is something else than a file, such as a device.
    fileprivate static func isNoFile(_ url: URL) -> Bool {
        var info = stat()
        return stat(url.path, &info) == 0 && info.st_mode & S_IFMT != S_IFREG
    }

    public static func fileExists(for config: Configuration) -> Bool {
        config.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
    }

    /// Deletes the file and what lies beside it, but for the lock file. False when there was nothing.
    /// Throws `alreadyOpen` while somebody has it open.
    public static func deleteFiles(for config: Configuration) throws -> Bool {
        guard let path = config.fileURL?.path, FileManager.default.fileExists(atPath: path) else {
            return false
        }
        do throws(RealmError) {
            try ExclusiveAccess.remove(path: path)
        } catch {
            if error.kind == .busy {
                throw Error(
                    .alreadyOpen,
                    userInfo: [
                        NSLocalizedDescriptionKey:
                            "Cannot delete files of an open Realm: '\(path)' is still in use.",
                        "NSFilePath": path,
                    ])
            }
            throw Error(error)
        }
        return true
    }

    /// Writes a compacted copy of what the realm shows, of an open write transaction too. Throws
    /// `fileExists` for a file that is there.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        do throws(RealmError) {
            var options = Compactor.Options()
            if let encryptionKey { options.key = try EncryptionKey.of(encryptionKey) }
            try FileCopy.write(engine.snapshot(), to: fileURL.path, options: options)
        } catch { throw Error(error) }
    }

    public func writeCopy(configuration: Realm.Configuration) throws {
        guard let url = configuration.fileURL else {
            throwRealmException("Cannot write a copy without a file URL.")
        }
        try writeCopy(toFile: url, encryptionKey: configuration.encryptionKey)
    }
}
