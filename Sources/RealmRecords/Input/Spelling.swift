import RealmEngine

/// Finds similar names for suggestions. There is no limit of the edit distance.
package enum Spelling {
    /// Returns the candidate nearest to `text`: the first candidate that begins with `text`, or
    /// else the one with the smallest edit distance. Of equal candidates, the earlier one is
    /// returned. Nil only if there are no candidates.
    package static func nearest(to text: String, among candidates: [String]) -> String? {
        if let whole = candidates.first(where: { !text.isEmpty && $0.hasPrefix(text) }) {
            return whole
        }
        return candidates.min {
            NearestNames.distance(text, $0) < NearestNames.distance(text, $1)
        }
    }

    /// Returns up to `count` candidates, the nearest first.
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
