/// What an integrity check found in one version of a database.
public struct IntegrityReport: Sendable {
    /// Errors make some reader or writer fail or answer wrongly; warnings do not.
    public enum Severity: String, Sendable {
        case warning, error
    }

    /// Where a finding is, as far as it could be told.
    public struct Place: Hashable, Sendable {
        /// Byte offset of a node.
        public var ref: Ref?
        /// The stored name, `class_` included.
        public var table: String?
        public var column: String?
        public var object: ObjectKey?
    }

    /// One contradiction between the bytes and the format.
    public struct Finding: Sendable {
        public let code: Code
        public let place: Place
        /// One sentence.
        public let what: String
        public var severity: Severity { code.severity }
    }

    /// What was counted on the way.
    public struct Facts: Sendable {
        public var format = 0
        public var version: UInt64 = 0
        /// End of the space the version manages, in bytes.
        public var logicalSize: UInt64 = 0
        /// Nodes the version reaches, and their bytes.
        public var nodes = 0
        public var liveBytes: UInt64 = 0
        public var freeChunks = 0
        public var freeBytes: UInt64 = 0
        /// Neither reached nor free.
        public var gapBytes: UInt64 = 0
        public var historyEntries = 0
        public var tables: [Table] = []
    }

    /// What was counted in one table.
    public struct Table: Sendable {
        public let name: String
        public internal(set) var objects = 0
        public internal(set) var tombstones = 0
        public internal(set) var indexes = 0
        public internal(set) var links = 0
        public internal(set) var nodes = 0
        public internal(set) var bytes: UInt64 = 0
    }

    /// In the order they were met; at most `IntegrityCheck.keptPerCode` of each code.
    public internal(set) var findings: [Finding] = []
    /// How often each code was met, kept or not.
    public internal(set) var counts: [Code: Int] = [:]
    public internal(set) var facts = Facts()

    /// Number of errors, kept or not.
    public var errorCount: Int { count(.error) }
    /// Number of warnings, kept or not.
    public var warningCount: Int { count(.warning) }
    /// Neither errors nor warnings.
    public var isClean: Bool { counts.isEmpty }

    /// Codes that were met more often than they were kept, by name, and how much more often.
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
