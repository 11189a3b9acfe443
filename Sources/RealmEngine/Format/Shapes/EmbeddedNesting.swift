/// Nesting of embedded objects in each other. Each object is a level, and each list or dictionary that holds
/// embedded objects is another one.
package enum EmbeddedNesting {
    /// Levels that readers follow: the format has no limit, the stack of a thread has one, and damaged
    /// files have embedded objects that contain themselves.
    package static let limit = 2000
    /// Deepest level at which an embedded object is created. The levels below it are for the collections in
    /// its mixed values, which readers count too.
    package static let deepestObject = 1800
}
