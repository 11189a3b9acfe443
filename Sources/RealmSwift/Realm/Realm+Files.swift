import Foundation
import RealmEngine

/// Returns the schema version of a file. May be called on any thread; the file is not changed.
///
/// - Throws: `Realm.Error` if the file cannot be read or has no schema version.
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
    /// Opens a realm and closes it again, so that its file is created, migrated or compacted as the
    /// configuration says.
    ///
    /// - Throws: `Realm.Error`, as opening does.
    public static func performMigration(
        for configuration: Realm.Configuration = .defaultConfiguration
    ) throws { _ = try Realm(configuration: configuration) }

    /// Whether `url` names something other than a regular file, such as a directory or a device.
    fileprivate static func isNoFile(_ url: URL) -> Bool {
        var info = stat()
        return stat(url.path, &info) == 0 && info.st_mode & S_IFMT != S_IFREG
    }

    /// Whether the file of a configuration exists; false for a realm in memory. May be called on
    /// any thread.
    public static func fileExists(for config: Configuration) -> Bool {
        config.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
    }

    /// Deletes the file of a configuration and its companion files, except the lock file. May be
    /// called on any thread.
    ///
    /// - Returns: false if there was no file.
    /// - Throws: `Realm.Error.alreadyOpen` while this or another process has the file open.
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

    /// Writes a compacted copy of the version that the realm shows, including uncommitted changes
    /// of an open write transaction.
    ///
    /// - Parameter encryptionKey: 64 bytes to encrypt the copy with; nil writes it unencrypted.
    /// - Throws: `Realm.Error.fileExists` if there is already a file at `fileURL`, and what writing
    ///   throws.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        do throws(RealmError) {
            var options = Compactor.Options()
            if let encryptionKey { options.key = try EncryptionKey.of(encryptionKey) }
            try FileCopy.write(engine.snapshot(), to: fileURL.path, options: options)
        } catch { throw Error(error) }
    }

    /// Writes a compacted copy to the file of another configuration, encrypted with its key.
    ///
    /// Only `fileURL` and `encryptionKey` of the configuration are used. Traps if it has no
    /// `fileURL`.
    ///
    /// - Throws: `Realm.Error.fileExists` if there is already a file, and what writing throws.
    public func writeCopy(configuration: Realm.Configuration) throws {
        guard let url = configuration.fileURL else {
            throwRealmException("Cannot write a copy without a file URL.")
        }
        try writeCopy(toFile: url, encryptionKey: configuration.encryptionKey)
    }
}
