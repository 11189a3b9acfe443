import RealmEngine
import ToolBench
import ToolKit
import ToolVersion

/// `core-bench`: `realm-bench` with the tasks of realm-core's own benchmark.
///
/// The tasks have the same properties, indexes, number of objects and distributions of values as in
/// realm-core's benchmark. Hence the CPU time of one repetition (CPU/OP) can be compared with the
/// time that realm-core's benchmark prints for the task of the same name. Beginning and discarding
/// transactions are not measured, as in that benchmark.
public enum CoreBench {
    /// The workloads of `realm-bench`, and the tasks of realm-core's benchmark.
    package static let catalogue = WorkloadCatalogue(
        adding: CoreTask.all.map(\.plan), commonRows: CoreTask.usualRows)

    /// Runs with the arguments of the process, including its name. Returns the exit status.
    public static func run(_ arguments: [String]) -> Int32 {
        let table = BenchTable.table(
            "core-bench", "measure the common tasks of the reference engine's benchmark", catalogue)
        return Tool(table) { (command) throws(RealmError) in
            try BenchTool.run(command, catalogue)
        }.run(arguments, version: ToolVersion.text(release: Capabilities.version))
    }
}
