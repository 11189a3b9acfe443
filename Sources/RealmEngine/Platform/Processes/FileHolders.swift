import Glibc

/// The processes that have a file open, as far as this user may see them.
package enum FileHolders {
    /// "name (pid N)" of every participant of the session of the database at `path`, this process
    /// left out.
    package static func names(participating path: String) -> [String] {
        participants(of: path).map { "\($0.command) (pid \($0.pid))" }
    }

    /// "name (pid N)".
    static func title(of pid: UInt32) -> String {
        "\(name(Int32(truncatingIfNeeded: pid))) (pid \(pid))"
    }

    /// The processes that take part in the session of the database at `path`, this one left out.
    package static func participants(of path: String) -> [FileHolder] {
        list(database: path).openers.filter { $0.participants > 0 }
    }

    /// "name (pid N)" of every process that has this very file open, this one left out.
    static func holders(of file: FileIdentity) -> [String] {
        processes.filter { openFiles(of: $0)?.contains(file) == true }
            .map { title(of: UInt32(clamping: $0)) }
    }

    /// The ids of the processes there are, this one left out.
    static var processes: [Int32] {
        entries("/proc").compactMap { Int32($0) }.filter { $0 != getpid() }.sorted()
    }

    static func entries(_ path: String) -> [String] { readable(path) ?? [] }

    /// The names in a directory; nil, with `errno` set, when it cannot be read.
    static func readable(_ path: String) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    static func name(_ pid: Int32) -> String { firstLine("/proc/\(pid)/comm") ?? "a process" }

    static func firstLine(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        guard fgets(&line, 1024, file) != nil else { return nil }
        return String(
            decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self)
    }
}
