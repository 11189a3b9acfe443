/// How a file is to be taken: as one that anybody can read, as an encrypted one, or as it is.
enum DatabaseKey: Sendable {
    case none
    case given(EncryptionKey)
    /// The bytes of the file, whatever they mean.
    case unknown

    init(_ key: EncryptionKey?) {
        self = key.map { .given($0) } ?? .none
    }

    /// The database in the file that `mapping` maps.
    ///
    /// Throws `key` where a key is missing, wrong or not wanted.
    func opened(_ mapping: Mapping, _ path: String) throws(RealmError) -> Mapping {
        let isPlain =
            mapping.mapped >= RawHeader.size && RawHeader(mapping.base).hasMagic
        switch self {
        case .unknown: return mapping
        case .none:
            if !isPlain, EncryptedForm.matches(mapping.base, size: mapping.mapped) {
                throw EncryptedPages.noKey(path)
            }
            return mapping
        case .given(let key):
            if isPlain { throw EncryptedPages.notEncrypted(path) }
            let database = try Mapping(decrypting: mapping, key, path: path)
            guard database.mapped > 0 else { throw EncryptedPages.notRealm(path) }
            try database.pages?.checkKey()
            return database
        }
    }
}
