/// Edit script that turns an older sequence into a newer one.
///
/// To apply it, first delete (indexes into the older sequence, in descending order), then insert
/// (indexes into the newer sequence, in ascending order), then replace the modified elements. Free
/// to cross threads.
package struct CollectionChange: Sendable, Equatable {
    /// Indexes into the older sequence, ascending; includes moved elements.
    package var deletions: [Int] = []
    /// Indexes into the newer sequence, ascending; includes moved elements.
    package var insertions: [Int] = []
    /// Elements that stayed and changed: indexes into the older sequence, ascending.
    package var modifications: [Int] = []
    /// The elements of `modifications`, as indexes into the newer sequence.
    var newModifications: [Int] = []
    /// Elements that changed their position relative to others. Each of them is also in `deletions`
    /// and `insertions`.
    var moves: [Move] = []

    /// Index of a moved element in the older and in the newer sequence.
    package struct Move: Sendable, Hashable {
        let from: Int
        let to: Int
    }

    init() {}

    package var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
    }

    /// Compares two sequences. If equal elements occur several times, they are matched in order.
    ///
    /// Finds the largest possible number of elements that stay in order, in O(n log n).
    ///
    /// - Parameters:
    ///   - replaces: whether a deletion and an insertion at the same index count as a modification,
    ///     as in a list, whose elements can be assigned. In results, they remain a deletion and an
    ///     insertion.
    ///   - isModified: whether an element that stayed was modified, given its new index.
    package init<Element: Hashable, Failure: Error>(
        from old: [Element], to new: [Element], replaces: Bool = false,
        isModified: (Int) throws(Failure) -> Bool
    ) throws(Failure) {
        let kept = Self.kept(old, new)
        moves = kept.moves.ordered { $0.from < $1.from }
        for i in 0..<kept.head where try isModified(i) { addModification(i, i) }
        var (i, j) = (kept.head, kept.head)
        for (from, to) in kept.stays {
            // Handles the deletions and insertions before the element that stays at `from` and
            // `to`.
            addGap(i..<from, j..<to, replaces)
            if try isModified(to) { addModification(from, to) }
            (i, j) = (from + 1, to + 1)
        }
        let (oldEnd, newEnd) = (old.count - kept.tail, new.count - kept.tail)
        addGap(i..<oldEnd, j..<newEnd, replaces)
        for k in 0..<kept.tail where try isModified(newEnd + k) {
            addModification(oldEnd + k, newEnd + k)
        }
    }

    private mutating func addGap(_ old: Range<Int>, _ new: Range<Int>, _ replaces: Bool) {
        let replaced = replaces ? min(old.count, new.count) : 0
        for offset in 0..<replaced {
            addModification(old.lowerBound + offset, new.lowerBound + offset)
        }
        deletions += old.dropFirst(replaced)
        insertions += new.dropFirst(replaced)
    }

    mutating func addModification(_ old: Int, _ new: Int) {
        modifications.append(old)
        newModifications.append(new)
    }

    /// Matched elements: the first `head` and the last `tail` elements of both sequences are equal;
    /// `stays` contains the pairs of indexes of matched elements between them.
    private struct Kept {
        var head = 0
        var tail = 0
        var stays: [(Int, Int)] = []
        var moves: [Move] = []
    }

    /// Finds the elements of `old` that stay in `new`, and those that move.
    private static func kept<Element: Hashable>(_ old: [Element], _ new: [Element]) -> Kept {
        var head = 0
        while head < old.count, head < new.count, old[head] == new[head] { head += 1 }
        var tail = 0
        while tail < old.count - head, tail < new.count - head,
            old[old.count - 1 - tail] == new[new.count - 1 - tail]
        { tail += 1 }
        var result = Kept(head: head, tail: tail)
        let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
        if head < oldEnd, head < newEnd {
            var places: [Element: [Int]] = [:]
            for to in (head..<newEnd).reversed() { places[new[to], default: []].append(to) }
            var pairs: [(Int, Int)] = []
            for from in head..<oldEnd {
                if let to = places[old[from]]?.popLast() { pairs.append((from, to)) }
            }
            let isStaying = longestAscendingSubsequence(pairs.map(\.1))
            for (pair, stays) in zip(pairs, isStaying) {
                if stays {
                    result.stays.append(pair)
                } else {
                    result.moves.append(Move(from: pair.0, to: pair.1))
                }
            }
        }
        return result
    }

    /// Marks a longest ascending subsequence of distinct `numbers`.
    private static func longestAscendingSubsequence(_ numbers: [Int]) -> [Bool] {
        // `ends[k]` is the index of the smallest number that ends an ascending subsequence of
        // length k + 1.
        var ends: [Int] = []
        var before = Array(repeating: -1, count: numbers.count)
        for (i, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[i] = ends[low - 1] }
            if low == ends.count { ends.append(i) } else { ends[low] = i }
        }
        var marks = Array(repeating: false, count: numbers.count)
        var at = ends.last ?? -1
        while at >= 0 {
            marks[at] = true
            at = before[at]
        }
        return marks
    }
}
