/// Limits for the nesting of embedded objects. Each embedded object counts as a level, and so does
/// each list or dictionary that contains embedded objects.
package enum EmbeddedNesting {
    /// Number of levels that readers follow. The format has no limit, but the stack of a thread has
    /// one, and in a damaged file an embedded object may contain itself.
    package static let limit = 2000
    /// Deepest nesting level at which an embedded object may be created. The levels from here to
    /// `limit` are reserved for collections in the object's mixed values, because readers count
    /// these collections as levels, too.
    package static let deepestObject = 1800
}
