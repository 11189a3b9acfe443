import RealmEngine

/// The commands; each tool's `main.swift` is one call.
public enum Tools {
    /// Runs `realm-query` with the process's arguments, the name first, and returns its exit
    /// status. Installs signal handlers and may end the process.
    public static func query(_ arguments: [String]) -> Int32 {
        ToolRun.run(QueryTable.table, arguments, QueryTool.run)
    }

    /// Runs `realm-write`, as `query` does.
    public static func write(_ arguments: [String]) -> Int32 {
        ToolRun.run(WriteTable.table, arguments, WriteTool.run)
    }

    /// Runs `realm-compact`, as `query` does.
    public static func compact(_ arguments: [String]) -> Int32 {
        ToolRun.run(CompactTable.table, arguments, CompactTool.run)
    }

    /// Runs `realm-versions`, as `query` does.
    public static func versions(_ arguments: [String]) -> Int32 {
        ToolRun.run(VersionsTable.table, arguments, VersionsTool.run)
    }

    /// Runs `realm-bench`, as `query` does.
    public static func bench(_ arguments: [String]) -> Int32 {
        ToolRun.run(BenchTable.table, arguments, BenchTool.run)
    }
}
