/// A regular expression in ICU's syntax that must match whole values. Matching takes time
/// proportional to the bytes of the value. Look-around, back-references and possessive repetitions
/// are not supported, because an automaton cannot match them.
///
/// Safe to use from any thread.
final class RegularExpression: Sendable {
    let pattern: String
    private let program: ExpressionProgram
    /// Automata that no thread uses at present.
    private let idle = LockedValue<[UnsafeMatcher]>([])

    /// An automaton that is borrowed from `idle`, so that only one thread uses it at a time.
    private struct UnsafeMatcher: @unchecked Sendable {
        let matcher: ExpressionMatcher
    }

    init(_ pattern: String, foldsCase: Bool) throws(ExpressionParser.Failure) {
        self.pattern = pattern
        let tree = try ExpressionParser.tree(pattern, foldsCase: foldsCase)
        do throws(ExpressionProgram.TooLarge) {
            program = try ExpressionProgram(tree)
        } catch {
            throw ExpressionParser.Failure(
                message: "more than \(ExpressionProgram.maximumStates) states", offset: 0)
        }
    }

    func matcher() -> ExpressionMatcher { ExpressionMatcher(program) }

    /// Whether the value is a text that the whole expression matches.
    func matches(_ value: Value) -> Bool {
        guard case .string(let text) = value else { return false }
        return matches(text.buffer)
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        let taken = idle.withLock { $0.popLast() }
        let matcher = taken?.matcher ?? matcher()
        defer { idle.withLock { $0.append(UnsafeMatcher(matcher: matcher)) } }
        return matcher.matches(text)
    }
}
