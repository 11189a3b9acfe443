/// Counts the failed attempts to read an encrypted page that a writer may be replacing.
struct ReadAttempts {
    private var entry: UInt64 = 0
    /// Number of attempts, up to the last one, that found the same entry of the page.
    private var equalCount = 0
    private var count = 0

    /// Counts a failed attempt that read `entry` as the entry of the page.
    mutating func add(entry: UInt64) {
        equalCount = count > 0 && entry == self.entry ? equalCount + 1 : 1
        count += 1
        self.entry = entry
    }

    /// Whether the page is not read again: more than five attempts found the same entry, or more
    /// than 1,000 attempts failed.
    var isOver: Bool { equalCount > 5 || count > 1000 }
}
