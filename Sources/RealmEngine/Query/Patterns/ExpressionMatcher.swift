/// Matches texts with a regular expression by a deterministic automaton. The states of the
/// automaton are built from the compiled expression when a text first needs them, and cached; when
/// the cache is full, it is emptied. Matching takes time proportional to the bytes of the text, for
/// any expression.
final class ExpressionMatcher {
    private let program: ExpressionProgram
    private let classes: Int
    /// The next state for each state and each class of scalars, at index `state * classes + class`.
    /// It is `unknown` if the state has not been built yet, and `dead` if no match is possible any
    /// more.
    private var next: [Int32] = []
    private var states: [Key] = []
    private var numbers: [Key: Int32] = [:]
    private var accepts: [Bool] = []
    private var first: Int32 = 0

    private static let unknown: Int32 = -1
    /// State number that means that the text cannot match, whatever scalars follow.
    private static let dead: Int32 = -2

    // Buffers of `step`, kept to reuse their memory.
    private var marks: [Int]
    private var mark = 0
    private var stack: [Int] = []

    /// Key of a cached state of the deterministic automaton. Such a state is the set of all states
    /// of the nondeterministic automaton (`ExpressionProgram`) in which the match can be,
    /// ascending, with the kind of the previous scalar.
    private struct Key: Hashable {
        let live: [Int32]
        let before: UInt8
    }

    /// Maximum number of elements of `next`; the elements then take 1 MiB. When `next` reaches this
    /// number, all cached states are removed.
    private static let maximumNumbers = 1 << 18

    init(_ program: ExpressionProgram) {
        self.program = program
        classes = program.classes.count
        marks = Array(repeating: 0, count: program.states.count)
        clearCache()
    }

    private func clearCache() {
        next.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        accepts.removeAll(keepingCapacity: true)
        first = number(
            Key(live: [Int32(program.start)], before: ScalarClasses.ScalarKind.outside.rawValue))
    }

    /// Whether the whole text matches, not only a part of it. A byte that is not valid UTF-8 counts
    /// as U+FFFD.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var state = first
        var at = 0
        while true {
            let scalars = run(text, &at, &state)
            if scalars < 0 { break }
            state = step(&state, scalars)
            if state == Self.dead { return false }
        }
        return state != Self.dead && accepts[Int(state)]
    }

    /// Follows transitions to states that are already built, from byte `at` of the text on. Returns
    /// -1 at the end of the text or if no match is possible. If the next state is not built yet,
    /// returns the class of the scalar that leads to it, and the caller builds the state.
    private func run(
        _ text: UnsafeRawBufferPointer, _ at: inout Int, _ state: inout Int32
    ) -> Int {
        next.withUnsafeBufferPointer { next in
            program.classes.withASCII { classOfASCII in
                while at < text.count {
                    let byte = text[at]
                    let scalars: Int
                    if byte < 0x80 {
                        scalars = Int(classOfASCII[Int(byte)])
                        at &+= 1
                    } else {
                        let (scalar, length) = UTF8Sequence.scalar(text, at)
                        scalars = program.classes.of(scalar)
                        at &+= length
                    }
                    let following = next[Int(state) &* classes &+ scalars]
                    if following < 0 {
                        if following == Self.unknown { return scalars }
                        state = Self.dead
                        return -1
                    }
                    state = following
                }
                return -1
            }
        }
    }

    private func number(_ key: Key) -> Int32 {
        if let found = numbers[key] { return found }
        let number = Int32(states.count)
        numbers[key] = number
        states.append(key)
        next.append(contentsOf: repeatElement(Self.unknown, count: classes))
        accepts.append(closure(key, after: .outside, isEnd: true) { _, _ in })
        return number
    }

    /// Builds the state of the automaton that follows `state` after a scalar of the class
    /// `scalars`. If the cache of states is full, empties it first, and then assigns a new number
    /// to `state`.
    private func step(_ state: inout Int32, _ scalars: Int) -> Int32 {
        if next.count > Self.maximumNumbers {
            let key = states[Int(state)]
            clearCache()
            state = number(key)
        }
        let kind = program.classes.kind(scalars)
        var live: [Int32] = []
        _ = closure(states[Int(state)], after: kind, isEnd: false) { (set, following) in
            if program.classes.holds(set, scalars) { live.append(Int32(following)) }
        }
        let following: Int32
        if live.isEmpty {
            following = Self.dead
        } else {
            live.sort()
            var unique: [Int32] = []
            for one in live where unique.last != one { unique.append(one) }
            following = number(
                Key(live: unique, before: (program.hasAssertions ? kind : .other).rawValue))
        }
        next[Int(state) * classes + scalars] = following
        return following
    }

    /// Finds all states that the states in `key.live` reach by transitions that consume no scalar.
    /// Calls `body` for each found state that matches one scalar, with the state's set of scalars
    /// and the state that follows the match. Returns whether the accepting state was found.
    private func closure(
        _ key: Key, after: ScalarClasses.ScalarKind, isEnd: Bool, _ body: (Int, Int) -> Void
    ) -> Bool {
        mark += 1
        var isAccepted = false
        stack.removeAll(keepingCapacity: true)
        for one in key.live { stack.append(Int(one)) }
        let before = ScalarClasses.ScalarKind(rawValue: key.before) ?? .other
        while let one = stack.popLast() {
            if marks[one] == mark { continue }
            marks[one] = mark
            switch program.states[one] {
            case .scalar(let set, let following): body(set, following)
            case .either(let left, let right):
                stack.append(left)
                stack.append(right)
            case .assertion(let assertion, let following):
                if assertion.holds(before, after) { stack.append(following) }
            case .accepted: isAccepted = true
            }
        }
        return isAccepted
    }
}

extension ExpressionTree.Assertion {
    fileprivate func holds(_ before: ScalarClasses.ScalarKind, _ after: ScalarClasses.ScalarKind)
        -> Bool
    {
        switch self {
        case .start: before == .outside
        case .end: after == .outside
        case .lineStart: before == .outside || before == .lineEnd
        case .lineEnd: after == .outside || after == .lineEnd
        case .wordBoundary: (before == .word) != (after == .word)
        case .noWordBoundary: (before == .word) == (after == .word)
        }
    }
}
