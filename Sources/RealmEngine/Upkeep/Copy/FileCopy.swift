/// A compacted copy under a name of its own: complete, verified and durable when the name appears.
package enum FileCopy {
    /// Writes what `snapshot` sees to the file `path`.
    ///
    /// - Parameters:
    ///   - replacing: a file of that name gives way, else it is an error.
    ///   - permissions: of the file; nil for those of any new one.
    /// - Throws: `misuse` when a file is there and is not to be replaced, and what `Compactor.write`
    ///   throws.
    @discardableResult
    package static func write(
        _ snapshot: Snapshot, to path: String, replacing: Bool = false,
        permissions: FilePermissions? = nil, options: Compactor.Options = Compactor.Options()
    ) throws(RealmError) -> Compactor.Result {
        let temporary = try TemporaryFile(beside: path, for: path, permissions: permissions)
        var isPublished = false
        defer {
            if !isPublished { temporary.discard() }
            temporary.close()
        }
        let result = try Compactor.write(
            snapshot, to: temporary.descriptor, path: path, options: options)
        if snapshot.database.hasChanged { throw DatabaseChange.error }
        try temporary.publish(as: path, replacing: replacing)
        isPublished = true
        return result
    }
}
