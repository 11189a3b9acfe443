/// A weak reference. Free to cross threads, but the object may only be used in its own context.
struct Weak<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}
