import RealmEngine

extension ParsedCommand {
    /// Path of the key file: the argument of `-K`, or else the value of
    /// `REALM_ENCRYPTION_KEY_FILE`; nil if there is none.
    var keyFilePath: String? {
        self[ifKnown: SharedOptions.key] ?? Terminal.environment("REALM_ENCRYPTION_KEY_FILE")
    }

    /// Whether the command names a key file, for an existing database or for a new one.
    package var namesKey: Bool { keyFilePath != nil || self[ifKnown: SharedOptions.newKey] != nil }

    /// Reads the encryption key; nil if none is given.
    ///
    /// - Throws: `key` for a bad key file; `misuse` if standard input would be both the key and the
    ///   database.
    package func readKey() throws(RealmError) -> EncryptionKey? {
        guard let path = keyFilePath else { return nil }
        if path == "-", operand(0) == "-" {
            throw .misuse(
                "standard input cannot be both the key and the database", code: "InvalidArgument")
        }
        let key = try fileKey(path).key
        limitPlainMemory()
        return key
    }

    /// Limits the memory for decrypted pages to half of `--max-memory`, or to `--max-memory` less
    /// `rest` bytes if that is more. The remaining memory is for work on the pages.
    package func limitPlainMemory(rest: Int = .max) {
        let half = maxMemory / 2
        DecryptedMemoryLimit.limit(to: max(half, maxMemory - min(rest, maxMemory)))
    }

    /// Reads the key for an output that is to be encrypted; nil if none is given.
    package func readNewKey() throws(RealmError) -> EncryptionKey? {
        guard let path = self[SharedOptions.newKey] else { return nil }
        limitPlainMemory()
        return try KeyFile.read(path) { Diagnostics(self).warn($0) }.key
    }

    private func fileKey(_ path: String) throws(RealmError) -> FileKey {
        try keyOnce.get { () throws(RealmError) in
            try KeyFile.read(path) { Diagnostics(self).warn($0) }
        }
    }

    /// Returns the error. For a wrong key, adds a hint that names the notation of the key file.
    package func explaining(_ error: RealmError) -> RealmError {
        guard error.reason == "wrong-key", let path = keyFilePath,
            let form = try? fileKey(path).form
        else { return error }
        return RealmError(
            error.kind, code: error.code, reason: error.reason, error.message, file: error.file,
            hint: "\(KeyFile.hint); this one held \(form.rawValue)")
    }
}
