/// Does `body` with an object that somebody else keeps meanwhile: no reference is counted, which would
/// take longer than what is done.
@inline(__always)
func borrowing<Object: AnyObject, R, E: Error>(
    _ reference: Unmanaged<Object>, _ body: (Object) throws(E) -> R
) throws(E) -> R {
    // The standard library's own way throws errors of any type only.
    let result = reference._withUnsafeGuaranteedRef { (object) -> Result<R, E> in
        do throws(E) { return .success(try body(object)) } catch { return .failure(error) }
    }
    return try result.get()
}
