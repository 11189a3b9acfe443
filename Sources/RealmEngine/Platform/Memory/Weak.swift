/// A reference that keeps nothing alive. Free to cross threads; what it refers to is used where that
/// belongs.
struct Weak<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}
