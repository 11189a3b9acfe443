/// Runs `body`. Realms that this thread opens in `body` are kept alive until `body` returns. May be
/// called on any thread.
///
/// Provided for code from Apple's platforms, where an autorelease pool has the same effect.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    let record = ThreadRecord.current
    record.openPool()
    defer { record.closePool() }
    return try body()
}
