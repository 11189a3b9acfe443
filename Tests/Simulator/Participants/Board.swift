import SimulatedPlatform

/// The sequential model: contents that each version may have, in memory that all processes share.
///
/// A writer proposes a content before it commits. Several writers may propose one for the same
/// version if all but the last one died before publishing it. An acknowledged version has only the
/// content that was acknowledged.
struct Board {
    static let keyCount = 24
    typealias Content = [UInt64]

    private static let versionCount = 256
    private static let proposalCount = 4
    private static let entryWords = 4 + proposalCount * keyCount

    private let words = sim_board().assumingMemoryBound(to: UInt64.self)

    private enum Header {
        static let acknowledged = 0
        static let commits = 1
        static let reads = 2
        static let size = 8
    }

    private enum Word {
        static let version = 0
        static let count = 1
        static let isAcknowledged = 2
        static let contents = 4
    }

    private func entry(_ version: UInt64) -> UnsafeMutablePointer<UInt64> {
        words + Header.size + Int(version) % Self.versionCount * Self.entryWords
    }

    private func content(_ entry: UnsafeMutablePointer<UInt64>, _ index: Int) -> Content {
        Content(
            UnsafeBufferPointer(
                start: entry + Word.contents + index * Self.keyCount, count: Self.keyCount))
    }

    /// Removes all contents and resets all counts.
    func reset() {
        words.update(repeating: 0, count: Header.size + Self.versionCount * Self.entryWords)
    }

    /// The newest version whose commit returned.
    var acknowledged: UInt64 { words[Header.acknowledged] }

    /// Numbers of acknowledged commits and of verified versions, for reports.
    var commits: Int { Int(words[Header.commits]) }
    var reads: Int { Int(words[Header.reads]) }
    func countRead() { words[Header.reads] += 1 }

    /// The content last proposed for `version`; nil if there is none.
    func content(of version: UInt64) -> Content? { contents(of: version).last }

    /// All contents proposed for `version`.
    func contents(of version: UInt64) -> [Content] {
        let entry = entry(version)
        guard entry[Word.version] == version else { return [] }
        return (0..<Int(entry[Word.count])).map { content(entry, $0) }
    }

    /// Adds a proposed content of `version`. The caller has checked the version on which it is
    /// based.
    func propose(_ version: UInt64, _ content: Content) {
        let entry = entry(version)
        if entry[Word.version] != version {
            (entry[Word.version], entry[Word.count], entry[Word.isAcknowledged]) = (version, 0, 0)
        }
        if entry[Word.isAcknowledged] == 1 {
            sim_fail("version \(version) is committed again after it was acknowledged")
        }
        var count = Int(entry[Word.count])
        if count == Self.proposalCount {
            // The oldest proposal is removed.
            for i in 0..<(count - 1) * Self.keyCount {
                entry[Word.contents + i] = entry[Word.contents + i + Self.keyCount]
            }
            count -= 1
        }
        for (i, value) in content.enumerated() {
            entry[Word.contents + count * Self.keyCount + i] = value
        }
        entry[Word.count] = UInt64(count + 1)
    }

    /// Records that the commit of the content last proposed for `version` has returned.
    func acknowledge(_ version: UInt64) {
        let entry = entry(version)
        let last = content(entry, Int(entry[Word.count]) - 1)
        entry[Word.count] = 0
        propose(version, last)
        entry[Word.isAcknowledged] = 1
        words[Header.commits] += 1
        words[Header.acknowledged] = max(words[Header.acknowledged], version)
    }

    /// Makes `content`, found in the file after a crash, the only content of `version`. Later
    /// versions are removed, because the crash has lost them.
    func adopt(_ version: UInt64, _ content: Content) {
        let known = entry(version)
        let wasAcknowledged = known[Word.version] == version && known[Word.isAcknowledged] == 1
        for later in 1...UInt64(16) where entry(version + later)[Word.version] == version + later {
            entry(version + later)[Word.version] = 0
        }
        if wasAcknowledged { return }
        known[Word.version] = 0
        propose(version, content)
        known[Word.isAcknowledged] = 1
        words[Header.acknowledged] = version
    }
}
