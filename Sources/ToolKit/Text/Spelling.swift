import RealmEngine

/// Finding what somebody meant to type, where something must be suggested however far it is.
package enum Spelling {
    /// The candidate nearest to `text`: one it begins, else the smallest edit distance. Nil only
    /// without candidates. Ties go to the earlier candidate.
    package static func nearest(to text: String, among candidates: [String]) -> String? {
        if let whole = candidates.first(where: { !text.isEmpty && $0.hasPrefix(text) }) {
            return whole
        }
        return candidates.min {
            NearestNames.distance(text, $0) < NearestNames.distance(text, $1)
        }
    }

    /// Up to `count` candidates, the nearest first.
    package static func nearest(_ count: Int, to text: String, among candidates: [String])
        -> [String]
    {
        var rest = candidates
        var found: [String] = []
        while found.count < count, let next = nearest(to: text, among: rest) {
            found.append(next)
            rest.removeAll { $0 == next }
        }
        return found
    }
}
