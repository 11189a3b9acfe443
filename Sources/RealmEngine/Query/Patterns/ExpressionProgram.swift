/// A regular expression as states of a nondeterministic automaton over classes of scalars.
struct ExpressionProgram: Sendable {
    enum State: Sendable {
        /// Matches one scalar of the character set that has the index `set`, and continues at state
        /// `next`.
        case scalar(set: Int, next: Int)
        case either(Int, Int)
        case assertion(ExpressionTree.Assertion, next: Int)
        case accepted
    }

    private(set) var states: [State] = []
    private(set) var start = 0
    let classes: ScalarClasses
    /// Whether the expression has assertions, such as `^` or `\b`, whose result depends on the
    /// scalars next to a position.
    private(set) var hasAssertions = false

    /// Maximum number of states of an expression.
    static let maximumStates = 20_000

    struct TooLarge: Error {}

    init(_ tree: ExpressionTree) throws(TooLarge) {
        var builder = Builder()
        let accepted = try builder.add(.accepted)
        start = try builder.compile(tree, accepted)
        states = builder.states
        hasAssertions = builder.hasAssertions
        classes = ScalarClasses(builder.sets, distinguishesKinds: builder.hasAssertions)
    }

    private struct Builder {
        var states: [State] = []
        var sets: [ScalarSet] = []
        var hasAssertions = false

        mutating func add(_ state: State) throws(TooLarge) -> Int {
            if states.count >= ExpressionProgram.maximumStates { throw TooLarge() }
            states.append(state)
            return states.count - 1
        }

        /// Adds the states that match `tree` and then continue at state `next`. Returns the first
        /// of these states.
        mutating func compile(_ tree: ExpressionTree, _ next: Int) throws(TooLarge) -> Int {
            switch tree {
            case .empty: return next
            case .scalars(let set): return try add(.scalar(set: index(of: set), next: next))
            case .assertion(let assertion):
                hasAssertions = true
                return try add(.assertion(assertion, next: next))
            case .sequence(let parts):
                var next = next
                for part in parts.reversed() { next = try compile(part, next) }
                return next
            case .choice(let branches):
                var first: Int?
                for branch in branches.reversed() {
                    let start = try compile(branch, next)
                    first =
                        try first.map { (rest) throws(TooLarge) in
                            try add(.either(start, rest))
                        } ?? start
                }
                return first ?? next
            case .repeated(let part, let minimum, let maximum):
                return try compile(part, minimum, maximum, next)
            }
        }

        private mutating func compile(
            _ part: ExpressionTree, _ minimum: Int, _ maximum: Int?, _ next: Int
        ) throws(TooLarge) -> Int {
            var start = next
            if let maximum {
                for _ in minimum..<max(minimum, maximum) {
                    start = try add(.either(try compile(part, start), next))
                }
            } else {
                let loop = try add(.either(next, next))
                states[loop] = .either(try compile(part, loop), next)
                start = loop
            }
            for _ in 0..<minimum { start = try compile(part, start) }
            return start
        }

        private mutating func index(of set: ScalarSet) -> Int {
            if let found = sets.lastIndex(of: set) { return found }
            sets.append(set)
            return sets.count - 1
        }
    }
}
