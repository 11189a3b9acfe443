/// Checks the blocks of an encrypted file (storage format 8.5).
extension IntegrityCheck {
    /// Reports each block that does not authenticate. Skips blocks that the version uses, because
    /// they were already reported as unreadable. Other blocks are free space; a crash may leave a
    /// broken block there.
    func checkBlocks() {
        guard level == .full, let pages = mapping.pages else { return }
        (table, column, object) = (nil, nil, nil)
        for page in 0..<pages.count {
            guard let problem = pages.problem(inPage: page) else { continue }
            found(.block, Ref(UInt64(page * EncryptedLayout.page)), problem)
        }
    }
}
