/// A regular expression in ICU's syntax that is matched with whole values, in time that grows with the
/// bytes of the value alone. Without look-around, back-references and possessive repetitions, which an
/// automaton cannot follow.
///
/// Any thread may match.
final class RegularExpression: Sendable {
    let pattern: String
    private let program: ExpressionProgram
    /// Matchers that no thread uses.
    private let idle = LockedValue<[UnsafeMatcher]>([])

    /// A matcher goes from thread to thread, to one at a time.
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

    /// False for what is no text.
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
