/// Runs `body`. Realms live as long as somebody refers to them: there is no pool that keeps them longer.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}
