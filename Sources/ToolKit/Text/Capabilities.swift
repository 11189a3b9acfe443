/// Version and capabilities of the tools, as printed by `--version`.
package enum Capabilities {
    /// Version number of the current release, or of the next one during development.
    package static let version = "0.2.0"

    /// Date of the last substantial change of the manual pages.
    static let manualDate = "November 21, 2026"

    static let formatsRead = "2-11, 20-24"
    static let formatsWritten = "24"
    static let lockLayout = "14"

    package static var buildMode: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }

    /// Name and version, then one line for each capability.
    static func text(tool: String, version: String) -> String {
        """
        \(tool) \(version)
        formats read     \(formatsRead)
        formats written  \(formatsWritten)
        lock layout      \(lockLayout)
        build mode       \(buildMode)

        """
    }
}
