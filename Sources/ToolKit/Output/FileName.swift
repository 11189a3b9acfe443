/// Names of files in pictures.
package enum FileName {
    /// The path without its directories.
    package static func last(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
