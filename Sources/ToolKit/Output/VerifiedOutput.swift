import RealmEngine

/// Output of what was read from a database: nothing leaves before it is certain that no commit
/// landed while it was read (realm-tools(7), ACCESS).
package final class VerifiedOutput {
    private let output: OutputFile
    private let databases: [Database]

    package convenience init(_ output: OutputFile, _ database: Database) {
        self.init(output, [database])
    }

    /// Output of what was read from several databases, or several versions of one.
    package init(_ output: OutputFile, _ databases: [Database]) {
        self.output = output
        self.databases = databases
    }

    /// Writes the buffer out once it has grown large enough to be worth a call.
    @inline(__always)
    package func write(_ buffer: inout ByteBuffer) throws(RealmError) {
        if buffer.count >= OutputFile.flushThreshold { try flush(&buffer) }
    }

    /// Writes the buffer out now; throws `DatabaseChange.error` instead when a commit landed.
    package func flush(_ buffer: inout ByteBuffer) throws(RealmError) {
        if databases.contains(where: \.hasChanged) { throw DatabaseChange.error }
        try output.flush(&buffer)
    }
}
