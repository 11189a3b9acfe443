extension AggregateFunction {
    /// All functions, in the order in which help and manual show them.
    public static let all = [
        count, distinctCount, sum, average, min, max, standardDeviation, median,
    ]

    /// The number of objects, or of the elements of a collection. Counts nulls too.
    public static let count = AggregateFunction(
        "count", ["@size", "@count"], "count", argument: .none, of: .all, nan: .included,
        "the number of objects", result: { _ in .int }, by: .objects)

    public static let distinctCount = AggregateFunction(
        "count", [], "count of distinct values", argument: .distinctProperty, of: .all,
        nan: .included, "the number of different values; all NaN count as one",
        result: { _ in .int },
        by: .ordered { _, _ in DistinctCount() })

    public static let sum = AggregateFunction(
        "sum", ["@sum"], "sum", of: .numbers, nan: .includedInMixed,
        "the sum; 0 if there are no values",
        result: { $0 == .int ? .int : $0.isBinary ? .double : .decimal },
        by: .state { .total(of: $0, $1) { $0.sum($1) } })

    public static let average = AggregateFunction(
        "avg", ["@avg"], "average", of: .numbers, nan: .includedInMixed, "the average",
        result: { $0.typeOfMean },
        by: .state { .total(of: $0, $1) { total, _ in total.average } })

    public static let min = AggregateFunction(
        "min", ["@min"], "min", of: .ordered, nan: .includedInMixedAndDictionaries,
        "the least value",
        result: { $0 }, by: .state { .extreme(isLeast: true, of: $0, $1) })

    public static let max = AggregateFunction(
        "max", ["@max"], "max", of: .ordered, nan: .includedInMixedAndDictionaries,
        "the greatest value",
        result: { $0 }, by: .state { .extreme(isLeast: false, of: $0, $1) })

    public static let standardDeviation = AggregateFunction(
        "stddev", ["@stddev"], "standard deviation", of: .numbers, nan: .skipped,
        "the sample standard deviation; null for fewer than two values", result: { _ in .double },
        by: .state { AggregateOperation(Moments($1)) { moments, _ in moments.standardDeviation } })

    public static let median = AggregateFunction(
        "median", ["@median"], "median", of: .numbers, nan: .skipped,
        "the value in the middle, or the mean of the two in the middle",
        result: { $0.typeOfMean }, by: .ordered { Median(count: $0, of: $1) })
}

extension OperandType {
    fileprivate var isBinary: Bool { self == .float || self == .double }

    /// Type of the mean of values of this type: double for integers, floats and doubles, otherwise
    /// decimal.
    fileprivate var typeOfMean: OperandType { self == .int || isBinary ? .double : .decimal }
}
