import RealmEngine

extension ParsedCommand {
    /// The key file to use: the one of `-K`, else the one `REALM_ENCRYPTION_KEY_FILE` names.
    var keyFilePath: String? {
        text("encryption-key-file") ?? Terminal.environment("REALM_ENCRYPTION_KEY_FILE")
    }

    /// Reads the encryption key; nil when none was given.
    ///
    /// - Throws: `key` for a bad key file, `misuse` when standard input would have to be both the
    ///   key and the database.
    func readKey(_ diagnostics: Diagnostics) throws(RealmError) -> EncryptionKey? {
        guard let path = keyFilePath else { return nil }
        if path == "-", operand(0) == "-" {
            throw .misuse(
                "standard input cannot be both the key and the database", code: "InvalidArgument")
        }
        return try KeyFile.read(path) { diagnostics.warn($0) }
    }
}
