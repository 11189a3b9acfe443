/// Calls `body` with an object that is kept alive by another reference during the call. Saves a
/// retain and a release, which may cost more than `body`.
@inline(__always)
func borrowing<Object: AnyObject, R, E: Error>(
    _ reference: Unmanaged<Object>, _ body: (Object) throws(E) -> R
) throws(E) -> R {
    // The standard library's function rethrows only untyped errors.
    let result = reference._withUnsafeGuaranteedRef { (object) -> Result<R, E> in
        do throws(E) { return .success(try body(object)) } catch { return .failure(error) }
    }
    return try result.get()
}
