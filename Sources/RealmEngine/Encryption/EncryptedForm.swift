/// Recognises an encrypted database without its key (storage format 8.2).
enum EncryptedForm {
    private static let maximumWriteCount: UInt32 = 1 << 28

    /// Whether `size` bytes at `base` begin with a table of 64 entries as only an encrypted
    /// database has: each entry is all zeros or has two plausible write counters, the latest not
    /// smaller than the one before, and authentication codes. Other files pass with a probability
    /// of less than 2^-64.
    static func begins(_ base: UnsafeRawPointer, size: Int) -> Bool {
        let page = EncryptedLayout.page
        guard size >= 2 * page, base.load(as: UInt32.self) != 0 else { return false }
        return stride(from: 0, to: page, by: EncryptedLayout.entry).allSatisfy {
            isEntry(base + $0)
        }
    }

    /// Whether `size` bytes at `base`, fewer than the smallest encrypted database has, begin like
    /// one.
    ///
    /// - Parameter least: with fewer bytes, the result is false. Of an incomplete entry, only the
    ///   counter is checked.
    static func isCut(
        _ base: UnsafeRawPointer, size: Int, least: Int = EncryptedLayout.entry
    ) -> Bool {
        guard size >= max(4, least), size < 2 * EncryptedLayout.page else { return false }
        let latest = base.load(as: UInt32.self)
        guard latest != 0, latest < maximumWriteCount else { return false }
        let end = min(size, EncryptedLayout.page) / EncryptedLayout.entry * EncryptedLayout.entry
        return stride(from: 0, to: end, by: EncryptedLayout.entry).allSatisfy { isEntry(base + $0) }
    }

    /// Returns the error for a file for which `isCut` is true.
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

    /// Whether all bytes are equal, which does not occur in an authentication code.
    private static func isUniform(_ p: UnsafeRawPointer, _ count: Int) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: p, count: count)
        return bytes.allSatisfy { $0 == bytes[0] }
    }

    private static func isZero(_ p: UnsafeRawPointer, _ count: Int) -> Bool {
        UnsafeRawBufferPointer(start: p, count: count).allSatisfy { $0 == 0 }
    }
}
