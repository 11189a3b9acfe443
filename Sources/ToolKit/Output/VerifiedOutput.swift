import RealmEngine

/// Output of data read from a database. Bytes are written only after a check that no commit
/// happened while they were read (realm-tools(7), ACCESS).
package final class VerifiedOutput {
    private let output: OutputFile
    private let databases: [Database]

    package convenience init(_ output: OutputFile, _ database: Database) {
        self.init(output, [database])
    }

    /// Output of data read from several databases, or from several versions of one.
    package init(_ output: OutputFile, _ databases: [Database]) {
        self.output = output
        self.databases = databases
    }

    /// Writes and empties the buffer if it has reached the threshold of `OutputFile`.
    @inline(__always)
    package func write(_ buffer: inout ByteBuffer) throws(RealmError) {
        if buffer.count >= OutputFile.flushThreshold { try flush(&buffer) }
    }

    /// Writes and empties the buffer. Throws `DatabaseChange.error` instead if a commit happened.
    package func flush(_ buffer: inout ByteBuffer) throws(RealmError) {
        if databases.contains(where: \.hasChanged) { throw DatabaseChange.error }
        try output.flush(&buffer)
    }
}
