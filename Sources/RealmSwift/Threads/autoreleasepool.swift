/// Runs `body`. Realms that are opened meanwhile on this thread live until it is done, whether somebody
/// refers to them or not.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    let record = ThreadRecord.current
    record.openPool()
    defer { record.closePool() }
    return try body()
}
