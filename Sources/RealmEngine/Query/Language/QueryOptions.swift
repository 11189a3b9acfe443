/// Options of a query plan.
public struct QueryOptions: Sendable {
    /// Look up what an index can find instead of testing every object. Never changes the result.
    public var usesIndexes = true
    /// Run kernels over packed leaves instead of testing value by value. Never changes the result.
    package var usesKernels = true
    /// Bytes of private memory that SORT, DISTINCT and the keys found may take; what does not fit
    /// goes to a temporary file. Never changes the result.
    public var memoryLimit = Int.max
    /// Directory of temporary files.
    public var spillDirectory = "/tmp"
    /// Told how many objects were looked at, for the condition, then for each SORT and DISTINCT. Never
    /// changes the result.
    package var meter: ProgressCounter?
    /// Test the table at the end of a path as a whole from the first row on, however few there are.
    var hurriesSets = false

    public init() {}
}
