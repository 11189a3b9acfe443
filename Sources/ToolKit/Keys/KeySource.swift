import RealmEngine

extension ParsedCommand {
    /// The key file to use: the one of `-K`, else the one `REALM_ENCRYPTION_KEY_FILE` names.
    var keyFilePath: String? {
        text("encryption-key-file") ?? Terminal.environment("REALM_ENCRYPTION_KEY_FILE")
    }

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
        return try fileKey(path).key
    }

    /// The key an encrypted output is to have; nil when none was given.
    package func readNewKey() throws(RealmError) -> EncryptionKey? {
        guard let path = text("new-encryption-key-file") else { return nil }
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
