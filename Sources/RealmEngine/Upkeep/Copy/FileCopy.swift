/// Writes compacted copies to a temporary file and renames it once it is complete, verified and
/// durable.
package enum FileCopy {
    /// Writes the version of `snapshot` to the file `path`.
    ///
    /// - Parameters:
    ///     - replacing: whether to replace an existing file; otherwise it is an error.
    ///     - permissions: permissions of the new file; nil for the default.
    ///     - progress: receives the number of bytes written so far, from time to time. An error
    ///     that it throws ends the copy, of which nothing remains.
    /// - Throws: `misuse` if a file exists that must not be replaced, and any error of
    ///   `Compactor.write`.
    @discardableResult
    package static func write(
        _ snapshot: Snapshot, to path: String, replacing: Bool = false,
        permissions: FilePermissions? = nil, options: Compactor.Options = Compactor.Options(),
        progress: @escaping (UInt64) throws(RealmError) -> Void = { _ in }
    ) throws(RealmError) -> Compactor.Result {
        let temporary = try TemporaryFile(beside: path, for: path, permissions: permissions)
        var isPublished = false
        defer {
            if !isPublished { temporary.discard() }
            temporary.close()
        }
        let result = try Compactor.write(
            snapshot, to: temporary.descriptor, path: path, options: options, progress: progress)
        if snapshot.database.hasChanged { throw DatabaseChange.error }
        try temporary.publish(as: path, replacing: replacing)
        isPublished = true
        return result
    }
}
