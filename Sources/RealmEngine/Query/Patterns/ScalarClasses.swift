/// Divides all Unicode scalars into classes. Two scalars are in one class if the same character
/// sets of a regular expression contain them.
struct ScalarClasses: Sendable {
    /// First scalar of each range of scalars that belong to one class, ascending from 0.
    private let bounds: [UInt32]
    private let classOfRange: [UInt16]
    private let classOfASCII: [UInt16]
    let count: Int
    /// Whether a character set of the expression contains the scalars of a class. The first index
    /// is the number of the set, the second the number of the class.
    private let isMember: [[Bool]]
    private let kindOfClass: [ScalarKind]

    /// Kind of a Unicode scalar. The assertions `^`, `$` and `\b` of a regular expression depend on
    /// the kinds of the scalars before and after a position.
    enum ScalarKind: UInt8, Sendable {
        /// The position before the first or after the last Unicode scalar of the text.
        case outside
        case word
        case lineEnd
        case other
    }

    /// Divides the scalars into classes by the character sets of an expression.
    ///
    /// - Parameter distinguishesKinds: whether word characters, line ends and other scalars get
    ///   different classes even if they are in the same sets.
    init(_ sets: [ScalarSet], distinguishesKinds: Bool) {
        let all = distinguishesKinds ? sets + [.words, .lineEnds] : sets
        var starts: Set<UInt32> = [0]
        for set in all {
            for range in set.ranges {
                starts.insert(range.lowerBound)
                if range.upperBound < ScalarSet.limit { starts.insert(range.upperBound + 1) }
            }
        }
        let bounds = starts.sorted()
        // For each range, the indexes of the sets that contain it. Ranges in the same sets form one
        // class.
        var holders = [[Int]](repeating: [], count: bounds.count)
        for (i, set) in all.enumerated() {
            for range in set.ranges {
                var at = Self.range(of: range.lowerBound, bounds)
                while at < bounds.count, bounds[at] <= range.upperBound {
                    holders[at].append(i)
                    at += 1
                }
            }
        }
        var numbers: [[Int]: UInt16] = [:]
        var members: [[Int]] = []
        classOfRange = holders.map { list in
            if let number = numbers[list] { return number }
            let number = UInt16(truncatingIfNeeded: members.count)
            numbers[list] = number
            members.append(list)
            return number
        }
        count = members.count
        isMember = sets.indices.map { set in members.map { $0.contains(set) } }
        kindOfClass = members.map { list in
            guard distinguishesKinds else { return .other }
            if list.contains(sets.count) { return .word }
            return list.contains(sets.count + 1) ? .lineEnd : .other
        }
        self.bounds = bounds
        let ranges = classOfRange
        classOfASCII = (0..<128).map { ranges[Self.range(of: $0, bounds)] }
    }

    private static func range(of scalar: UInt32, _ bounds: [UInt32]) -> Int {
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// Calls `body` with an array that contains, for each of the 128 ASCII scalars, the number of
    /// its class.
    @inline(__always)
    func withASCII<R>(_ body: (UnsafeBufferPointer<UInt16>) -> R) -> R {
        classOfASCII.withUnsafeBufferPointer(body)
    }

    func of(_ scalar: UInt32) -> Int { Int(classOfRange[Self.range(of: scalar, bounds)]) }

    func holds(_ set: Int, _ scalars: Int) -> Bool { isMember[set][scalars] }

    func kind(_ scalars: Int) -> ScalarKind { kindOfClass[scalars] }
}
