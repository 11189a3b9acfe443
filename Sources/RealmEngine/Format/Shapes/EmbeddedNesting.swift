/// Limits on nesting embedded objects. Each object is a level, and so is each list or dictionary of
/// embedded objects.
package enum EmbeddedNesting {
    /// Number of levels that readers follow. The format has no limit, but the stack of a thread
    /// has, and in damaged files embedded objects may contain themselves.
    package static let limit = 2000
    /// Deepest level at which an embedded object is created. The levels up to `limit` are for
    /// collections in its mixed values, which readers count too.
    package static let deepestObject = 1800
}
