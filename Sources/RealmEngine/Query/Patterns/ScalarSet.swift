/// A set of Unicode scalars, as ascending ranges that are neither overlapping nor adjacent.
struct ScalarSet: Equatable, Sendable {
    private(set) var ranges: [ClosedRange<UInt32>] = []

    static let limit: UInt32 = 0x10FFFF
    static let all = ScalarSet([0...limit])

    init() {}

    init(_ ranges: [ClosedRange<UInt32>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = self.ranges.last, range.lowerBound <= last.upperBound &+ 1 else {
                self.ranges.append(range)
                continue
            }
            self.ranges[self.ranges.count - 1] =
                last.lowerBound...max(last.upperBound, range.upperBound)
        }
    }

    init(_ scalars: UInt32...) { self.init(scalars.map { $0...$0 }) }

    /// Makes the set of scalars for which `isMember` returns true.
    init(where isMember: (Unicode.Scalar) -> Bool) {
        var found: [ClosedRange<UInt32>] = []
        func scan(_ range: ClosedRange<UInt32>) {
            for value in range {
                guard let scalar = Unicode.Scalar(value), isMember(scalar) else { continue }
                if let last = found.last, last.upperBound + 1 == value {
                    found[found.count - 1] = last.lowerBound...value
                } else {
                    found.append(value...value)
                }
            }
        }
        /// Adds all scalars of a range if `isMember` is true for its first scalar. May be called
        /// for ranges whose scalars all have the same Unicode properties, such as CJK ideographs.
        func take(_ range: ClosedRange<UInt32>) {
            guard let scalar = Unicode.Scalar(range.lowerBound) else { return }
            if isMember(scalar) { found.append(range) }
        }
        scan(0...0x33FF)
        take(0x3400...0x4DBF)
        scan(0x4DC0...0x4DFF)
        take(0x4E00...0x9FFF)
        scan(0xA000...0xABFF)
        take(0xAC00...0xD7A3)
        scan(0xD7A4...0xD7FF)
        take(0xE000...0xF8FF)
        scan(0xF900...0x1FFFF)
        take(0x20000...0x2A6DF)
        scan(0x2A6E0...0x3FFFF)
        scan(0xE0000...0xE0FFF)
        take(0xF0000...0xFFFFD)
        take(0x100000...0x10FFFD)
        self.init(found)
    }

    func contains(_ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }

    func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

    var inverted: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= Self.limit { gaps.append(next...Self.limit) }
        return ScalarSet(gaps)
    }

    func intersection(_ other: ScalarSet) -> ScalarSet {
        inverted.union(other.inverted).inverted
    }

    func subtracting(_ other: ScalarSet) -> ScalarSet { intersection(other.inverted) }

    /// The set, and for each of its letters the other cases of that letter.
    var closedOverCase: ScalarSet {
        var forms = Set<UInt32>()
        for range in ranges where range.lowerBound < 0x80 {
            for value in range.lowerBound...min(range.upperBound, 0x7F) {
                forms.insert(CaseFolding.folded(value))
            }
        }
        for run in CaseFolding.runs {
            for value in stride(from: run.first, through: run.last, by: Int(run.step)) {
                let folded = run.folded(value)
                if contains(value) || contains(folded) { forms.insert(folded) }
            }
        }
        var added: [ClosedRange<UInt32>] = []
        for run in CaseFolding.runs {
            for value in stride(from: run.first, through: run.last, by: Int(run.step)) {
                let folded = run.folded(value)
                guard forms.contains(folded) else { continue }
                added += [value...value, folded...folded]
            }
        }
        return ScalarSet(ranges + added)
    }
}

extension ScalarSet {
    static let digits = ScalarSet { $0.properties.generalCategory == .decimalNumber }
    static let spaces = ScalarSet([0x09...0x0D, 0x20...0x20, 0x85...0x85]).union(category("Z"))
    static let horizontalSpaces = ScalarSet(0x09).union(category("Zs"))
    static let lineEnds = ScalarSet([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
    /// `\w`: letters, marks, decimal digits, connecting punctuation, and the two joiners.
    static let words = ScalarSet { scalar in
        let properties = scalar.properties
        if properties.isAlphabetic { return true }
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
            true
        default: scalar.value == 0x200C || scalar.value == 0x200D
        }
    }

    /// Returns the scalars of a general category, of a group of categories (`L`), or with a
    /// property (`Alphabetic`); nil for an unknown name. Ignores case, spaces, `-` and `_` in the
    /// name.
    static func property(_ name: String) -> ScalarSet? {
        let plain = name.filter { $0 != " " && $0 != "-" && $0 != "_" }.lowercased()
        switch plain {
        case "alphabetic", "alpha": return ScalarSet { $0.properties.isAlphabetic }
        case "lowercase", "lower": return ScalarSet { $0.properties.isLowercase }
        case "uppercase", "upper": return ScalarSet { $0.properties.isUppercase }
        case "whitespace", "space": return ScalarSet { $0.properties.isWhitespace }
        case "any": return .all
        case "ascii": return ScalarSet([0...0x7F])
        case "alnum":
            return ScalarSet {
                $0.properties.isAlphabetic || $0.properties.generalCategory == .decimalNumber
            }
        case "digit": return digits
        case "punct": return category("P")
        case "word": return words
        case "blank": return horizontalSpaces
        case "cntrl": return category("Cc")
        case "xdigit": return ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66])
        case "graph":
            return spaces.union(category("Cc")).union(category("Cs")).union(category("Cn")).inverted
        case "print": return category("C").inverted
        default:
            let set = category(plain)
            return set.ranges.isEmpty ? nil : set
        }
    }

    /// Returns the scalars of the Unicode general categories whose short names, such as `Lu`, begin
    /// with `name`. Ignores case.
    private static func category(_ name: String) -> ScalarSet {
        let name = name.lowercased()
        let cased = ["lu", "ll", "lt"]
        var wanted: UInt32 = 0
        for (i, short) in shortNames.enumerated() {
            let isWanted = name == "lc" ? cased.contains(short) : short.hasPrefix(name)
            if isWanted, !name.isEmpty { wanted |= 1 << UInt32(i) }
        }
        if wanted == 0 { return ScalarSet() }
        return ScalarSet { wanted >> number($0.properties.generalCategory) & 1 != 0 }
    }

    private static let shortNames = [
        "lu", "ll", "lt", "lm", "lo", "mn", "mc", "me", "nd", "nl", "no", "pc", "pd", "ps", "pe",
        "pi", "pf", "po", "sm", "sc", "sk", "so", "zs", "zl", "zp", "cc", "cf", "cs", "co", "cn",
    ]

    /// Returns the index in `shortNames` of a Unicode general category.
    private static func number(_ category: Unicode.GeneralCategory) -> UInt32 {
        switch category {
        case .uppercaseLetter: 0
        case .lowercaseLetter: 1
        case .titlecaseLetter: 2
        case .modifierLetter: 3
        case .otherLetter: 4
        case .nonspacingMark: 5
        case .spacingMark: 6
        case .enclosingMark: 7
        case .decimalNumber: 8
        case .letterNumber: 9
        case .otherNumber: 10
        case .connectorPunctuation: 11
        case .dashPunctuation: 12
        case .openPunctuation: 13
        case .closePunctuation: 14
        case .initialPunctuation: 15
        case .finalPunctuation: 16
        case .otherPunctuation: 17
        case .mathSymbol: 18
        case .currencySymbol: 19
        case .modifierSymbol: 20
        case .otherSymbol: 21
        case .spaceSeparator: 22
        case .lineSeparator: 23
        case .paragraphSeparator: 24
        case .control: 25
        case .format: 26
        case .surrogate: 27
        case .privateUse: 28
        case .unassigned: 29
        @unknown default: 29
        }
    }
}
