/// Runs `body`, and keeps the realms that this thread opens in it alive until it returns.
///
/// Mirrors the function of Apple's platforms, where an autorelease pool does the same.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    let record = ThreadRecord.current
    record.openPool()
    defer { record.closePool() }
    return try body()
}
