import Glibc
import RealmEngine

extension OutputFile {
    /// A named output: the path as given, and the path to write to.
    package struct Destination {
        /// Path of the output as the user gave it, for messages.
        package let path: String
        /// Path with symbolic links resolved.
        package let target: String
        let force: Bool

        /// Descriptor to write to, and the temporary file to which it refers. The temporary file is
        /// nil if `path` is a device, pipe or socket, which is written directly.
        package struct Opened {
            package let descriptor: Int32
            package let destination: Destination
            package let temporary: TemporaryFile?
        }

        /// - Parameter permissions: permissions of the file; nil for the permissions of the
        ///   replaced file, or the defaults of a new file.
        package static func open(
            _ path: String, force: Bool, permissions: FilePermissions? = nil
        ) throws(RealmError) -> Opened {
            var status = stat()
            guard stat(path, &status) == 0 else {
                // Without `force`, a dangling symbolic link is not replaced either.
                if !force, lstat(path, &status) == 0 { throw Self.exists(path) }
                return try beside(
                    Destination(path: path, target: path, force: force), permissions)
            }
            if status.st_mode & S_IFMT != S_IFREG { return try direct(path) }
            guard force else { throw Self.exists(path) }
            let target = resolve(path)
            return try beside(
                Destination(path: path, target: target, force: force),
                permissions ?? FilePermissions(of: target))
        }

        private static func beside(
            _ destination: Destination, _ permissions: FilePermissions?
        ) throws(RealmError) -> Opened {
            let temporary = try TemporaryFile(
                beside: destination.target, for: destination.path, permissions: permissions)
            return Opened(
                descriptor: temporary.descriptor, destination: destination, temporary: temporary)
        }

        private static func direct(_ path: String) throws(RealmError) -> Opened {
            let fd = retryingInterrupts { Int(Glibc.open(path, O_WRONLY | O_CLOEXEC)) }
            guard fd >= 0 else {
                throw systemFailure(.output, "cannot open for writing", errno: errno, file: path)
            }
            return Opened(
                descriptor: Int32(fd),
                destination: Destination(path: path, target: path, force: true), temporary: nil)
        }

        /// Renames the complete temporary file to its final name. If `isDurable`, also syncs the
        /// directory.
        package func publish(
            _ temporary: TemporaryFile, isDurable: Bool = true
        ) throws(RealmError) {
            do throws(RealmError) {
                try temporary.publish(as: target, replacing: force, isDurable: isDurable)
            } catch {
                throw error.reason == "output-exists" ? Self.exists(path) : error
            }
        }

        package static func exists(_ path: String) -> RealmError {
            TemporaryFile.exists(path, hint: "--force replaces it")
        }

        /// The path with symbolic links resolved; unchanged if it cannot be resolved.
        package static func resolve(_ path: String) -> String {
            guard let resolved = realpath(path, nil) else { return path }
            defer { free(resolved) }
            return String(cString: resolved)
        }
    }
}
