import RealmEngine

extension ParsedCommand {
    /// The key file to use: the one of `-K`, else the one `REALM_ENCRYPTION_KEY_FILE` names.
    var keyFilePath: String? {
        self[ifKnown: SharedOptions.key] ?? Terminal.environment("REALM_ENCRYPTION_KEY_FILE")
    }

    /// A key file is named, for what is there or for what will be made.
    package var namesKey: Bool { keyFilePath != nil || self[ifKnown: SharedOptions.newKey] != nil }

    /// The encryption key; nil when none was given.
    ///
    /// - Throws: `key` for a bad key file, `misuse` when standard input would have to be both the
    ///   key and the database.
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

    /// Has the pages of encrypted files take half of what `--max-memory` permits, or all but `rest` if
    /// that is more; the rest is for what is done with them.
    package func limitPlainMemory(rest: Int = .max) {
        let half = maxMemory / 2
        DecryptedMemoryLimit.limit(to: max(half, maxMemory - min(rest, maxMemory)))
    }

    /// The key an encrypted output is to have; nil when none was given.
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

    /// The same error, telling of a wrong key what its file held.
    package func explaining(_ error: RealmError) -> RealmError {
        guard error.reason == "wrong-key", let path = keyFilePath,
            let form = try? fileKey(path).form
        else { return error }
        return RealmError(
            error.kind, code: error.code, reason: error.reason, error.message, file: error.file,
            hint: "\(KeyFile.hint); this one held \(form.rawValue)")
    }
}
