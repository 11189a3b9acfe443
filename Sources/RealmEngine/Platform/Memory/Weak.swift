/// A weak reference. Free to cross threads; the object itself is only used in its own context.
struct Weak<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}
