/// Findings of an integrity check in one version of a database.
public struct IntegrityReport: Sendable {
    /// An error makes some reader or writer fail or return wrong results; a warning does not.
    public enum Severity: String, Sendable {
        case warning, error
    }

    /// Location of a finding. Each part is nil if it is unknown.
    public struct Location: Hashable, Sendable {
        /// Offset in bytes of the node that violates the format.
        public var ref: Ref?
        /// Stored name of the table, including `class_`.
        public var table: String?
        public var column: String?
        public var object: ObjectKey?
    }

    /// One contradiction between the bytes of the file and the format.
    public struct Finding: Sendable {
        public let code: Code
        public let location: Location
        /// Description in one sentence.
        public let what: String
        public var severity: Severity { code.severity }
    }

    /// Totals of the version, counted by the check.
    public struct Facts: Sendable {
        public var format = 0
        public var version: UInt64 = 0
        /// Logical size of the version, in bytes: the end of the space that it manages.
        public var logicalSize: UInt64 = 0
        /// Number of nodes that are reachable from the root. `liveBytes` is their total size in
        /// bytes.
        public var nodes = 0
        public var liveBytes: UInt64 = 0
        public var freeChunks = 0
        public var freeBytes: UInt64 = 0
        /// Bytes that are neither reachable nor free.
        public var gapBytes: UInt64 = 0
        public var historyEntries = 0
        public var tables: [Table] = []
    }

    /// Totals of one table.
    public struct Table: Sendable {
        public let name: String
        public internal(set) var objects = 0
        public internal(set) var tombstones = 0
        public internal(set) var indexes = 0
        public internal(set) var links = 0
        public internal(set) var nodes = 0
        public internal(set) var bytes: UInt64 = 0
    }

    /// Findings in the order of discovery; at most `IntegrityCheck.maximumFindingsPerCode` per
    /// code.
    public internal(set) var findings: [Finding] = []
    /// Number of findings per code, including findings that `findings` does not contain.
    public internal(set) var counts: [Code: Int] = [:]
    public internal(set) var facts = Facts()

    /// Number of errors, including errors that `findings` does not contain.
    public var errorCount: Int { count(.error) }
    /// Number of warnings, including warnings that `findings` does not contain.
    public var warningCount: Int { count(.warning) }
    /// Whether there are neither errors nor warnings.
    public var isClean: Bool { counts.isEmpty }

    /// Number of findings that were counted but are not in `findings`, for each code, ordered by
    /// the name of the code.
    @_optimize(size)
    public var omitted: [(code: Code, count: Int)] {
        var kept: [Code: Int] = [:]
        for finding in findings { kept[finding.code, default: 0] += 1 }
        return counts.compactMap { code, count in
            let rest = count - kept[code, default: 0]
            return rest > 0 ? (code, rest) : nil
        }.ordered { $0.code.rawValue < $1.code.rawValue }
    }

    private func count(_ severity: Severity) -> Int {
        counts.reduce(0) { $0 + ($1.key.severity == severity ? $1.value : 0) }
    }
}
