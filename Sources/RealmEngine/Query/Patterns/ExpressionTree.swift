/// A parsed regular expression.
indirect enum ExpressionTree {
    case empty
    case scalars(ScalarSet)
    case assertion(Assertion)
    case sequence([ExpressionTree])
    case choice([ExpressionTree])
    /// A repeated expression; `maximum` is nil for no limit.
    case repeated(ExpressionTree, minimum: Int, maximum: Int?)

    /// A condition such as `^` or `\b` on a position of the text, which consumes no scalar.
    enum Assertion {
        case start
        case end
        case lineStart
        case lineEnd
        case wordBoundary
        case noWordBoundary
    }
}
