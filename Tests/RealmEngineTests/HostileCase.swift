@testable import EngineSupport
@testable import RealmEngine

/// What came of opening and reading one file all through.
struct HostileOutcome {
    /// Nil when everything could be read.
    var error: RealmError?
    var values = 0
    var digest: UInt64 = 0
    var unindexed = 0
    /// What broke the promise made for hostile files; nil when it was kept.
    var complaint: String?
}

/// Opens bytes from memory and reads all of them: the one check behind every hostile file test.
enum HostileCase {
    /// Values a visit may meet in a file of `size` bytes: a walk may open 16 times the bytes of the
    /// file, and elements without width come at 32 to the byte. What matters is that the bound grows
    /// with nothing but the file.
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
