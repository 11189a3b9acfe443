import RealmEngine
import ToolBench
import ToolFiles
import ToolKit
import ToolQuery
import ToolVersion
import ToolWrite

/// The five tools are one program with five names.
public enum Tools {
    /// Runs the tool whose name the program was called by, the last component of the first word of
    /// the command line, and returns its exit status. Installs signal handlers and may end the
    /// process.
    ///
    /// - Parameter name: the tool to be where the program was given another name.
    public static func run(as name: String) -> Int32 {
        let arguments = ProgramArguments.all()
        let called = arguments.first.map(FileName.last) ?? ""
        // A tool's tables take longer to make than most of what it does: only its own are made.
        let tool = tool(called) ?? tool(name)
        return tool!.run(
            arguments, version: ToolVersion.text(release: Capabilities.version))
    }

    private static func tool(_ name: String) -> Tool? {
        switch name {
        case "realm-query": Tool(QueryTable.table, QueryTool.run)
        case "realm-write": Tool(WriteTable.table, WriteTool.run)
        case "realm-compact": Tool(CompactTable.table, CompactTool.run)
        case "realm-versions": Tool(VersionsTable.table, VersionsTool.run)
        case "realm-bench": Tool(BenchTable.table, BenchTool.run)
        default: nil
        }
    }
}
