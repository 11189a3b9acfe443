/// Position in a stream of change records: a version of the source database, and the identity of
/// that database.
package struct StreamPosition: Equatable, Sendable {
    package let version: UInt64
    /// Fingerprint of the source database (`FileFingerprint`), 16 hexadecimal digits; nil if
    /// unknown.
    package let source: String?

    package init(_ version: UInt64, _ source: String? = nil) {
        self.version = version
        self.source = source
    }

    /// Parses `18237@4f2a90c1e7b3d5f6` or the version alone; nil for other text.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let version = ValueForms.count(parts[0]) else { return nil }
        guard parts.count > 1 else {
            self.init(UInt64(version))
            return
        }
        guard Self.isMark(parts[1]) else { return nil }
        self.init(UInt64(version), String(parts[1]))
    }

    package var text: String { source.map { "\(version)@\($0)" } ?? "\(version)" }

    /// Whether both may be positions in the same stream. False only if both sources are known and
    /// differ.
    package func mayShareSource(with other: StreamPosition) -> Bool {
        guard let source, let theirs = other.source else { return true }
        return source == theirs
    }

    /// Whether the text has the format of a database file's fingerprint: 16 hexadecimal digits.
    package static func isMark(_ text: some StringProtocol) -> Bool {
        let digits = Array("0123456789abcdef".utf8)
        return text.utf8.count == 16 && text.utf8.allSatisfy(digits.contains)
    }
}
