/// Selects whether the bytes of a file are read as an unencrypted database, as an encrypted
/// database, or unchanged.
enum DatabaseKey: Sendable {
    case none
    case given(EncryptionKey)
    /// A key for salvaging a damaged file. `given` requires that page 0 authenticates with the key.
    /// `salvaging` permits that page 0 is damaged, if another page authenticates.
    case salvaging(EncryptionKey)
    /// The bytes of the file are mapped unchanged: not decrypted and not checked.
    case unknown

    init(_ key: EncryptionKey?) {
        self = key.map { .given($0) } ?? .none
    }

    /// Throws an error of the kind `key` unless `file` was opened with this key, or without a key
    /// if this is `none`.
    func checkAgreement(_ file: MappedFile) throws(RealmError) {
        switch (self, file.mapping.pages?.key) {
        case (.none, nil), (.unknown, _): return
        case (.none, _): throw EncryptedPages.noKey(file.path)
        case (.given, nil), (.salvaging, nil): throw EncryptedPages.notEncrypted(file.path)
        case (.given(let key), let other?), (.salvaging(let key), let other?):
            if !key.matches(other) { throw EncryptedPages.wrongKey(file.path) }
        }
    }

    /// Returns `mapping`, or a mapping of the decrypted database in the file that `mapping` maps.
    ///
    /// Throws an error of the kind `key` if the key is missing or wrong, or if there is a key but
    /// the file is not encrypted.
    ///
    /// - Parameter isNew: whether the file is still empty.
    func opened(
        _ mapping: Mapping, _ path: String, isNew: Bool = false
    ) throws(RealmError) -> Mapping {
        let isPlain =
            mapping.mapped >= RawHeader.size && RawHeader(mapping.base).hasMagic
        switch self {
        case .unknown: return mapping
        case .none:
            if isPlain { return mapping }
            if EncryptedForm.begins(mapping.base, size: mapping.mapped) {
                throw EncryptedPages.noKey(path)
            }
            if EncryptedForm.isCut(mapping.base, size: mapping.mapped) {
                throw EncryptedForm.cutError(path)
            }
            return mapping
        case .given(let key):
            let database = try decrypted(mapping, key, path, isPlain: isPlain)
            if !isNew { try database.pages?.checkKey() }
            return database
        case .salvaging(let key):
            let database = try decrypted(mapping, key, path, isPlain: isPlain)
            do throws(RealmError) { try database.pages?.checkKey() } catch {
                if error.reason != "block-damaged" { throw error }
            }
            return database
        }
    }

    private func decrypted(
        _ mapping: Mapping, _ key: EncryptionKey, _ path: String, isPlain: Bool
    ) throws(RealmError) -> Mapping {
        if isPlain { throw EncryptedPages.notEncrypted(path) }
        let database = try Mapping(decrypting: mapping, key, path: path)
        guard database.mapped > 0 else {
            throw EncryptedForm.isCut(mapping.base, size: mapping.mapped, least: 4)
                ? EncryptedForm.cutError(path) : EncryptedPages.notRealm(path)
        }
        return database
    }
}
