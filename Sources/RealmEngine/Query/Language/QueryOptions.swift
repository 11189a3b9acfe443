/// Options of a query plan.
public struct QueryOptions: Sendable {
    /// Whether to use indexes in place of testing every object. Never changes the result.
    public var usesIndexes = true
    /// Whether to run kernels over packed leaves in place of testing value by value. Never changes
    /// the result.
    package var usesKernels = true
    /// Limit in bytes of private memory for SORT, DISTINCT and found keys; beyond it, a temporary
    /// file is used. Never changes the result.
    public var memoryLimit = Int.max
    /// Directory of temporary files.
    public var spillDirectory = "/tmp"
    /// Receives the number of examined objects, for the condition and then for each SORT and
    /// DISTINCT. Never changes the result.
    package var meter: ProgressCounter?
    /// Whether to evaluate paths from their far end from the first row on, even for few rows.
    var evaluatesPathsFromFarEnd = false

    public init() {}
}
