/// A function of the values of a collection or a column: `@min`, `@max`, `@sum`, `@avg`.
public enum AggregateFunction: UInt8, Sendable {
    case min, max, sum, average
}
