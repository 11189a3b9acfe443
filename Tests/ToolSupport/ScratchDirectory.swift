import Glibc

/// Directory in which tests create temporary files.
let scratchRoot = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

/// A temporary directory that is deleted when the last reference to this object is released.
final class ScratchDirectory {
    let path: String

    init() {
        var template = Array("\(scratchRoot)/toolkit-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary directory")
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit {
        for name in entries {
            if unlink(file(name)) == 0 { continue }
            // The companion directory of a database, which contains at most the file `readers`.
            unlink(file(name) + "/readers")
            rmdir(file(name))
        }
        rmdir(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Names of the files in the directory, including hidden ones.
    var entries: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) -> String {
        let path = file(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        precondition(descriptor >= 0, "cannot create \(path)")
        precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        fchmod(descriptor, mode)
        close(descriptor)
        return path
    }
}

/// Returns the content of a file; nil if it cannot be opened.
func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return drain(descriptor)
}

/// Reads a file or pipe to its end.
func drain(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &piece, piece.count)
        if count <= 0 { return bytes }
        bytes += piece[..<count]
    }
}

/// Root directory of the package, derived from the path of this file.
let packageRoot: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/")
}()
