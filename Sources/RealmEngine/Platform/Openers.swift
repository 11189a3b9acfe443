import Glibc

/// The processes that have a file open, as far as this user may see them.
public enum Openers {
    /// "name (pid N)" of every process with an open descriptor of the file at `path`, this one
    /// left out.
    public static func processes(of path: String) -> [String] {
        var wanted = stat()
        guard stat(path, &wanted) == 0 else { return [] }
        var found: [String] = []
        for pid in entries("/proc").compactMap({ Int32($0) }) where pid != getpid() {
            let directory = "/proc/\(pid)/fd"
            for descriptor in entries(directory) {
                var s = stat()
                guard stat("\(directory)/\(descriptor)", &s) == 0, s.st_dev == wanted.st_dev,
                    s.st_ino == wanted.st_ino
                else { continue }
                found.append(name(of: UInt32(bitPattern: pid)))
                break
            }
        }
        return found
    }

    /// "name (pid N)".
    static func name(of pid: UInt32) -> String { "\(name(pid)) (pid \(pid))" }

    private static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
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

    private static func name(_ pid: UInt32) -> String {
        guard let file = fopen("/proc/\(pid)/comm", "r") else { return "a process" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return "a process" }
        return String(
            decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self)
    }
}
