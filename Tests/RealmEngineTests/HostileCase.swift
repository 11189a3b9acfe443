@testable import EngineSupport
@testable import RealmEngine

/// Result of opening and reading a file completely.
struct HostileOutcome {
    /// Nil if everything could be read.
    var error: RealmError?
    var values = 0
    var digest: UInt64 = 0
    var unindexed = 0
    /// Description of a violated guarantee for hostile files; nil if there is none.
    var complaint: String?
}

/// Opens bytes from memory and reads all of them: the check used by all hostile file tests.
enum HostileCase {
    /// Returns the limit of values that a visit may find in a file of `size` bytes: a walk may open
    /// 16 times the bytes of the file, and a byte may represent 32 elements of width 0. The limit
    /// depends on the size of the file only.
    static func bound(_ size: Int) -> Int { 80 * (16 * size + (1 << 14)) }

    static func read(_ bytes: [UInt8]) -> HostileOutcome {
        var outcome = HostileOutcome()
        do {
            let file = try bytes.withUnsafeBytes { try MappedFile(copying: $0, path: "hostile") }
            let visit = FullVisit(try Database(file), limit: bound(bytes.count))
            outcome.values = visit.values
            outcome.digest = visit.digest
            outcome.unindexed = visit.unindexed
            outcome.error = visit.firstError
            if visit.isOverLimit { outcome.complaint = "more than \(visit.values) values" }
            if visit.deepest > 101 {
                outcome.complaint = "collections nested \(visit.deepest) deep"
            }
        } catch {
            outcome.error = error as? RealmError
            if outcome.error == nil { outcome.complaint = "\(error)" }
        }
        if let error = outcome.error, !isExpected(error) {
            outcome.complaint = "\(error.kind): \(error.message)"
        }
        return outcome
    }

    private static func isExpected(_ error: RealmError) -> Bool {
        switch error.kind {
        case .corrupt, .input, .incompatible: true
        default: false
        }
    }
}
