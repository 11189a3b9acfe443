import RealmEngine
import ToolKit

/// What `realm-write` does with records, for those who measure it.
package enum RecordLoading {
    /// Loads NDJSON as `realm-write` with these words would, the class among them, into a session
    /// that is open already. Prints nothing.
    ///
    /// - Returns: the number of commits.
    package static func load(
        _ words: [String], _ records: [UInt8], into session: WriteSession, _ schema: Schema
    ) throws(RealmError) -> Int {
        let command = try OptionParser.parse(WriteTable.table, words[...])
        let request = try WriteRequest(command)
        let report = try LoadReport(
            request, input: "-", try OutputFile(path: nil, force: false))
        let load = try RecordLoad(
            request, className: command.operand(1) ?? "", session, schema,
            RecordInput(records, name: "-", .ndjson), report)
        _ = try load.run()
        return report.commits
    }
}
