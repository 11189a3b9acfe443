/// Functions for file names in output, such as titles of charts.
package enum FileName {
    /// The last component of a path.
    package static func last(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
