/// Shortens paths of files for output, such as titles of charts.
package enum FileName {
    /// The last component of a path.
    package static func last(of path: String) -> String {
        let bytes = path.utf8
        guard let end = bytes.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return path }
        let name = bytes[...end]
        let slash = name.lastIndex(of: UInt8(ascii: "/"))
        return String(Substring(slash.map { name[name.index(after: $0)...] } ?? name))
    }
}
