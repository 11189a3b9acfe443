import RealmEngine
import ToolBench
import ToolFiles
import ToolKit
import ToolQuery
import ToolVersion
import ToolWrite

/// The five tools are one program with five names.
public enum Tools {
    /// Runs the tool whose name the program was called by, the last component of `arguments[0]`,
    /// and returns its exit status. Installs signal handlers and may end the process.
    ///
    /// - Parameter name: the tool to be where the program was given another name.
    public static func run(_ arguments: [String], as name: String) -> Int32 {
        let called = arguments.first.map(FileName.last) ?? ""
        let tool = all.first { $0.table.name == called } ?? all.first { $0.table.name == name }
        return tool!.run(
            arguments, version: ToolVersion.text(release: Capabilities.version))
    }

    private static let all = [
        Tool(QueryTable.table, QueryTool.run), Tool(WriteTable.table, WriteTool.run),
        Tool(CompactTable.table, CompactTool.run), Tool(VersionsTable.table, VersionsTool.run),
        Tool(BenchTable.table, BenchTool.run),
    ]
}
