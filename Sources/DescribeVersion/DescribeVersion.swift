import Foundation
import PackagePlugin

/// Runs `describe.sh` of the target, which writes the output of `git describe` into a source of the target,
/// whenever a commit or a tag may have changed the output.
///
/// The manifest has `Context.gitInformation`, but SwiftPM caches its result as long as the text of the
/// manifest is the same.
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

    /// Files that change with commits and tags.
    private static func changing(_ git: URL) -> [URL] {
        ["logs/HEAD", "packed-refs", "refs/tags"].map { git.appending(path: $0) }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }
}
