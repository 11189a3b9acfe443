/// Finding what somebody meant to type.
enum Spelling {
    /// The candidate nearest to `text`: one it begins, else the smallest edit distance. Nil only
    /// without candidates. Ties go to the earlier candidate.
    static func nearest(to text: String, among candidates: [String]) -> String? {
        if let whole = candidates.first(where: { !text.isEmpty && $0.hasPrefix(text) }) {
            return whole
        }
        return candidates.min { distance(text, $0) < distance(text, $1) }
    }

    /// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a.utf8.prefix(64))
        let b = Array(b.utf8.prefix(64))
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
