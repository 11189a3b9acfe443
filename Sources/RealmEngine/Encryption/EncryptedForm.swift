/// Recognises an encrypted database by its first bytes, without its key (storage format 8.2).
enum EncryptedForm {
    private static let maximumWriteCount: UInt32 = 1 << 28

    /// Whether the `size` bytes at `base` begin with a table of 64 entries, one for each of the
    /// first 64 pages. Every encrypted database begins with this table.
    ///
    /// Each entry must be zero, or contain two authentication codes and two write counters. The
    /// counters must not be unusually large, and the latest one must not be smaller than the other.
    /// The probability that another file passes is below 2^-64.
    static func begins(_ base: UnsafeRawPointer, size: Int) -> Bool {
        let page = EncryptedLayout.page
        guard size >= 2 * page, base.load(as: UInt32.self) != 0 else { return false }
        return stride(from: 0, to: page, by: EncryptedLayout.entry).allSatisfy {
            isEntry(base + $0)
        }
    }

    /// Whether the `size` bytes at `base` are the beginning of an encrypted database that was
    /// truncated to less than two pages, the smallest size of an encrypted database.
    ///
    /// - Parameter least: minimum value of `size`; returns false for fewer bytes. If `size` is less
    ///   than 64, the size of a page's entry, only the first entry's write counter is checked.
    static func isCut(
        _ base: UnsafeRawPointer, size: Int, least: Int = EncryptedLayout.entry
    ) -> Bool {
        guard size >= max(4, least), size < 2 * EncryptedLayout.page else { return false }
        let latest = base.load(as: UInt32.self)
        guard latest != 0, latest < maximumWriteCount else { return false }
        let end = min(size, EncryptedLayout.page) / EncryptedLayout.entry * EncryptedLayout.entry
        return stride(from: 0, to: end, by: EncryptedLayout.entry).allSatisfy { isEntry(base + $0) }
    }

    /// The error for an encrypted database that was truncated to less than two pages (see `isCut`).
    static func cutError(_ path: String) -> RealmError {
        RealmError(
            .corrupt, code: "InvalidDatabase", reason: "truncated",
            "an encrypted file that was cut off before the end of its first block (truncated)",
            file: path, hint: RealmError.damageHint)
    }

    private static func isEntry(_ p: UnsafeRawPointer) -> Bool {
        let latest = p.load(as: UInt32.self)
        let before = p.load(fromByteOffset: 32, as: UInt32.self)
        if latest == 0 { return isZero(p, EncryptedLayout.entry) }
        guard latest < maximumWriteCount, before <= latest, !isUniform(p + 4, 28) else {
            return false
        }
        return before != 0 || isZero(p + 32, 32)
    }

    /// Whether all bytes are equal. The bytes of an authentication code never are.
    private static func isUniform(_ p: UnsafeRawPointer, _ count: Int) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: p, count: count)
        return bytes.allSatisfy { $0 == bytes[0] }
    }

    private static func isZero(_ p: UnsafeRawPointer, _ count: Int) -> Bool {
        UnsafeRawBufferPointer(start: p, count: count).allSatisfy { $0 == 0 }
    }
}
