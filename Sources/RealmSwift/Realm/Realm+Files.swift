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
    /// Opens a realm and closes it again. This creates, migrates or compacts the file, according to
    /// the configuration. May be called on any thread.
    ///
    /// - Throws: `Realm.Error` under the same conditions as opening a realm.
    public static func performMigration(
        for configuration: Realm.Configuration = .defaultConfiguration
    ) throws { _ = try Realm(configuration: configuration) }

    /// Whether `url` refers to something other than a regular file, such as a directory or a
    /// device.
    fileprivate static func isNoFile(_ url: URL) -> Bool {
        var info = stat()
        return stat(url.path, &info) == 0 && info.st_mode & S_IFMT != S_IFREG
    }

    /// Whether the file of a configuration exists. False for a realm in memory. May be called on
    /// any thread.
    public static func fileExists(for config: Configuration) -> Bool {
        config.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
    }

    /// Deletes the file of a configuration and its companion files. The lock file remains. May be
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

    /// Writes a compacted copy of the realm's current version. Inside a write transaction, the copy
    /// includes the uncommitted changes.
    ///
    /// - Parameter encryptionKey: 64 bytes to encrypt the copy with; nil writes it unencrypted.
    /// - Throws: `Realm.Error.fileExists` if there is already a file at `fileURL`, or if the copy
    ///   cannot be written.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        try writeCopy(toFile: fileURL, encryptionKey: encryptionKey) { _ in }
    }

    /// Writes a compacted copy like `writeCopy(toFile:encryptionKey:)`, and reports the progress.
    /// An addition to the SDK.
    ///
    /// A frozen realm can be copied on any thread, also by a task that may be cancelled:
    ///
    /// ```swift
    /// try realm.freeze().writeCopy(toFile: url) { bytes in
    ///     try Task.checkCancellation()
    ///     print(bytes, "bytes")
    /// }
    /// ```
    ///
    /// - Parameter progress: receives the number of bytes written so far, after each half megabyte
    ///   and at the end, on the calling thread. If it throws an error, the incomplete copy is
    ///   removed and the error is rethrown.
    /// - Throws: the error of `progress`; `Realm.Error`, with the code `fileExists` if there is
    ///   already a file at `fileURL`, if the copy cannot be written.
    public func writeCopy(
        toFile fileURL: URL, encryptionKey: Data? = nil, progress: @escaping (Int) throws -> Void
    ) throws {
        var cancellation: (any Swift.Error)?
        do throws(RealmError) {
            var options = Compactor.Options()
            if let encryptionKey { options.key = try EncryptionKey.of(encryptionKey) }
            try FileCopy.write(engine.snapshot(), to: fileURL.path, options: options) {
                (bytes) throws(RealmError) in
                do { try progress(Int(clamping: bytes)) } catch {
                    cancellation = error
                    throw .misuse("The copy was cancelled.", code: "Cancelled")
                }
            }
        } catch { throw cancellation ?? Error(error) }
    }

    /// Writes a compacted copy to the file of another configuration, encrypted with its key.
    ///
    /// Only `fileURL` and `encryptionKey` of the configuration are used. Traps if it has no
    /// `fileURL`.
    ///
    /// - Throws: `Realm.Error.fileExists` if there is already a file, or another `Realm.Error` if
    ///   the copy cannot be written.
    public func writeCopy(configuration: Realm.Configuration) throws {
        guard let url = configuration.fileURL else {
            throwRealmException("Cannot write a copy without a file URL.")
        }
        try writeCopy(toFile: url, encryptionKey: configuration.encryptionKey)
    }
}
