import Glibc
import Testing

@testable import ToolSupport

/// Compiles the output of `--schema -f grdb` with GRDB and reads the data that `-f sql` loads. Runs
/// only if `GRDB_CHECKOUT` names a checkout of GRDB.swift, because building it takes minutes.
struct GRDBRecordTests {
    private static let checkout: String? = getenv("GRDB_CHECKOUT").flatMap {
        let path = String(cString: $0)
        return access(path + "/Package.swift", R_OK) == 0 ? path : nil
    }

    private let manifest = """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
            name: "Records", dependencies: [.package(name: "GRDB.swift", path: "\(checkout ?? "")")],
            targets: [
                .executableTarget(
                    name: "Records", dependencies: [.product(name: "GRDB", package: "GRDB.swift")])
            ])
        """

    @Test(.enabled(if: checkout != nil)) func recordsCompileAndLoad() {
        let scratch = ScratchDirectory()
        let models = QueryRun.text(["-S", "-f", "grdb", QueryRun.social])
        let types = models.matches(of: #/(?m)^struct (\w+)/#).map { String($0.output.1) }
        #expect(types.contains("Person") && types.contains("Pet"))
        let program =
            "import GRDB\nlet queue = try DatabaseQueue(path: CommandLine.arguments[1])\n"
            + "try queue.read { base in\n"
            + types.map { "    print(\"\($0)\", try \($0).fetchAll(base).count)\n" }.joined()
            + "}\n"
        scratch.write("models", Array(models.utf8))
        scratch.write("program", Array(program.utf8))
        scratch.write("manifest", Array(manifest.utf8))
        let run = ToolProcess.shell(
            """
            set -e; cd \(scratch.path); mkdir -p package/Sources/Records
            mv manifest package/Package.swift; mv models package/Sources/Records/Models.swift
            mv program package/Sources/Records/main.swift
            $TOOL -q -f sql --all \(QueryRun.social) | sqlite3 -bail app.sqlite
            swift build --package-path package > log 2>&1 || { tail -20 log; exit 1; }
            package/.build/debug/Records app.sqlite; rm -rf package
            """)
        #expect(run.status == 0, "\(run.text)")
        for name in ["Person", "Pet", "Company"] {
            let count = QueryRun.text(["-c", QueryRun.social, name])
            #expect(run.text.contains("\(name) \(count)"))
        }
    }
}
