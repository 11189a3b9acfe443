/// Options of a query plan: use of indexes and of loops over packed leaves, memory limit, temporary
/// files and progress.
public struct QueryOptions: Sendable {
    /// Whether to use search indexes in place of testing every object. Never changes the result.
    public var usesIndexes = true
    /// Whether to run loops over packed leaves (kernels) in place of testing value by value. Never
    /// changes the result.
    package var usesKernels = true
    /// Limit in bytes of the private memory for SORT, DISTINCT and the keys that were found. Above
    /// the limit, a temporary file is used. Never changes the result.
    public var memoryLimit = Int.max
    /// Path of the directory in which a query creates temporary files.
    public var spillDirectory = "/tmp"
    /// Receives the number of examined objects, for the condition and then for each SORT and
    /// DISTINCT. Never changes the result.
    package var meter: ProgressCounter?
    /// Whether paths are always evaluated backwards from the objects at their end, even if few rows
    /// are tested.
    var evaluatesPathsFromFarEnd = false

    public init() {}
}
