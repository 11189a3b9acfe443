import RealmEngine

extension Snapshot {
    /// Returns a table that a workload has created. Throws an error if it does not exist.
    package func table(written name: String) throws(RealmError) -> Table {
        guard let info = schema.table(named: name) else {
            throw .failedCheck("the file that was written has no class \(name)")
        }
        return table(info)
    }
}
