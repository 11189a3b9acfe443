import Foundation
import PackagePlugin

/// Has `describe.sh` of the target write what git says of the package into a source of the target,
/// and again whenever a commit or a tag may have changed that.
///
/// The manifest could ask too (`Context.gitInformation`), but is kept as long as its text is the
/// same, and so would the answer.
@main struct DescribeVersion: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        let root = context.package.directoryURL
        let script = target.directoryURL.appending(path: "describe.sh")
        let source = context.pluginWorkDirectoryURL.appending(path: "Described.swift")
        return [
            .buildCommand(
                displayName: "Asking git for the version", executable: URL(filePath: "/bin/sh"),
                arguments: [script.path, root.path, source.path],
                inputFiles: [script] + Self.changing(root.appending(path: ".git")),
                outputFiles: [source])
        ]
    }

    /// What changes with commits and tags.
    private static func changing(_ git: URL) -> [URL] {
        ["logs/HEAD", "packed-refs", "refs/tags"].map { git.appending(path: $0) }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }
}
