/// Suggestions for a misspelt name. Safe to use from any thread.
package enum NearestNames {
    /// Returns up to three candidates with the fewest edits, best first. Excludes candidates that
    /// differ in more than half of their bytes.
    package static func to(_ name: String, among candidates: [String]) -> [String] {
        let wanted = Array(name.lowercased().utf8)
        var scored: [(distance: Int, name: String)] = []
        for candidate in candidates {
            let other = Array(candidate.lowercased().utf8)
            let distance = distance(wanted, other)
            if distance <= max(2, max(wanted.count, other.count) / 2) {
                scored.append((distance, candidate))
            }
        }
        scored.order { $0.distance != $1.distance ? $0.distance < $1.distance : $0.name < $1.name }
        return scored.prefix(3).map(\.name)
    }

    /// Returns the edit distance in bytes: the number of insertions, deletions, replacements and
    /// swaps of neighbours that turn `a` into `b`. Returns 64 for different texts if one is longer
    /// than 64 bytes.
    package static func distance(_ a: String, _ b: String) -> Int {
        distance(Array(a.utf8), Array(b.utf8))
    }

    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        // A name longer than 64 bytes is not compared in detail, which would take long.
        if a.count > 64 || b.count > 64 { return a == b ? 0 : 64 }
        var before = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
