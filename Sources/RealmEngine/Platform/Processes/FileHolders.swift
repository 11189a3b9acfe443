import Glibc

/// Finds the processes that have a file open. Processes that this user has no permission to examine
/// are not found.
package enum FileHolders {
    /// Returns "name (pid N)" for every process that participates in the session of the database at
    /// `path`, except this process.
    package static func names(participating path: String) -> [String] {
        participants(of: path).map { "\($0.command) (pid \($0.pid))" }
    }

    /// Returns "name (pid N)" for a process.
    static func title(of pid: UInt32) -> String {
        "\(name(Int32(truncatingIfNeeded: pid))) (pid \(pid))"
    }

    /// Returns the processes that participate in the session of the database at `path`, except this
    /// process.
    package static func participants(of path: String) -> [FileHolder] {
        list(database: path).openers.filter { $0.participants > 0 }
    }

    /// Returns "name (pid N)" for every process that has `file` open, except this process.
    static func holders(of file: FileIdentity) -> [String] {
        processes.filter { openFiles(of: $0)?.contains(file) == true }
            .map { title(of: UInt32(clamping: $0)) }
    }

    /// The ids of all processes except this one.
    static var processes: [Int32] {
        entries("/proc").compactMap { Int32($0) }.filter { $0 != getpid() }.sorted()
    }

    static func entries(_ path: String) -> [String] { readable(path) ?? [] }

    /// Returns the names of the entries of a directory; nil with `errno` set if the directory
    /// cannot be read.
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
