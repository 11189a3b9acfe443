import RealmEngine
import ToolBench
import ToolKit
import ToolVersion

/// `core-bench`: `realm-bench` with the common tasks of the reference engine's own benchmark, with
/// the same properties, indexes and distributions of values on as many objects, so that the time of
/// one repetition, CPU/OP, compares with what that benchmark prints for the task of the same name.
/// What it does not measure, beginning a transaction and forgetting it, is not measured here either.
public enum CoreBench {
    /// The workloads of `realm-bench`, and the tasks.
    package static let catalogue = WorkloadCatalogue(
        adding: CoreTask.all.map(\.plan), commonRows: CoreTask.usualRows)

    /// Runs with the process's arguments, the name first, and returns the exit status.
    public static func run(_ arguments: [String]) -> Int32 {
        let table = BenchTable.table(
            "core-bench", "measure the common tasks of the reference engine's benchmark", catalogue)
        return Tool(table) { (command) throws(RealmError) in
            try BenchTool.run(command, catalogue)
        }.run(arguments, version: ToolVersion.text(release: Capabilities.version))
    }
}
