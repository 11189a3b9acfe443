import Glibc
import RealmEngine
import ToolKit

/// Owner, permissions, and extended attributes (including access control lists) of a file. They are
/// copied to the file that replaces it.
struct FileAttributes {
    private let path: String
    private let status: stat
    private let extended: [(name: String, value: [UInt8])]

    var size: Int { Int(status.st_size) }

    /// Reads the attributes of the file at `path`, following symbolic links.
    init(path: String) throws(RealmError) {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw systemFailure(.input, "cannot look at the file", errno: errno, file: path)
        }
        self.status = status
        extended = Self.extended(of: path)
    }

    /// Applies the owner, permissions and extended attributes to the file that is open as
    /// `descriptor`.
    func apply(to descriptor: Int32) throws(RealmError) {
        var now = stat()
        guard fstat(descriptor, &now) == 0 else { throw failure("look at the new file") }
        if now.st_uid != status.st_uid || now.st_gid != status.st_gid {
            guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else {
                throw failure("keep the owner")
            }
        }
        guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else {
            throw failure("keep the permissions")
        }
        for (name, value) in extended {
            let result = value.withUnsafeBytes {
                setExtended(descriptor, name, $0.baseAddress, $0.count, 0)
            }
            // The system sets security labels, and programs cannot. The new file already has them.
            guard result == 0 || name.hasPrefix("security.") else {
                throw failure("keep the attribute \(name)")
            }
        }
    }

    private func failure(_ doing: String) -> RealmError {
        systemFailure(.output, "cannot \(doing)", errno: errno, file: path)
    }

    private static func extended(of path: String) -> [(name: String, value: [UInt8])] {
        var names = [UInt8](repeating: 0, count: 1 << 16)
        let length = names.withUnsafeMutableBytes { listExtended(path, $0.baseAddress, $0.count) }
        guard length > 0 else { return [] }
        return names[..<length].split(separator: 0).compactMap { bytes in
            let name = String(decoding: bytes, as: UTF8.self)
            var value = [UInt8](repeating: 0, count: 1 << 16)
            let count = value.withUnsafeMutableBytes {
                getExtended(path, name, $0.baseAddress, $0.count)
            }
            return count < 0 ? nil : (name, Array(value[..<count]))
        }
    }
}

// Functions of the C library that Swift does not import.

@_silgen_name("listxattr")
private func listExtended(
    _ path: UnsafePointer<CChar>, _ list: UnsafeMutableRawPointer?, _ size: Int
) -> Int

@_silgen_name("getxattr")
private func getExtended(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>,
    _ value: UnsafeMutableRawPointer?, _ size: Int
) -> Int

@_silgen_name("fsetxattr")
private func setExtended(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ size: Int,
    _ flags: Int32
) -> Int32
