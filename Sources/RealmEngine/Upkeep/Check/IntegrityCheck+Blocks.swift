/// Checks the blocks of an encrypted file (storage format 8.5).
extension IntegrityCheck {
    /// Reports each block that does not authenticate. Blocks that the version uses were already
    /// reported as unreadable; other blocks are free space, where a crash may leave a broken block.
    func checkBlocks() {
        guard level == .full, let pages = mapping.pages else { return }
        (table, column, object) = (nil, nil, nil)
        for page in 0..<pages.count {
            guard let problem = pages.problem(inPage: page) else { continue }
            found(.block, Ref(UInt64(page * EncryptedLayout.page)), problem)
        }
    }
}
