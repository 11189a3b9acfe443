/// The meaning of a regular expression, without its spelling.
indirect enum ExpressionTree {
    case empty
    case scalars(ScalarSet)
    case assertion(Assertion)
    case sequence([ExpressionTree])
    case choice([ExpressionTree])
    /// `maximum` is nil where there is none.
    case repeated(ExpressionTree, minimum: Int, maximum: Int?)

    /// A place between two scalars.
    enum Assertion {
        case start
        case end
        case lineStart
        case lineEnd
        case wordBoundary
        case noWordBoundary
    }
}
