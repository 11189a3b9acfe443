/// Version and abilities of the tools, as `--version` prints them.
package enum Capabilities {
    /// The release that the sources are, or will be.
    package static let version = "0.2.0"

    /// The day the manual pages last changed in substance.
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
