/// Nesting of embedded objects in each other.
package enum EmbeddedNesting {
    /// Levels that readers follow: the format has no limit, the stack of a thread has one, and damaged
    /// files have embedded objects that contain themselves.
    package static let limit = 2000
}
