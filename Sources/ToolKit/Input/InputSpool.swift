import Glibc
import RealmEngine
import RealmRecords

/// An input that is read twice: first to infer the schema, then to load the records.
///
/// A regular file is read twice. Data from a pipe is copied during the first reading: to an unnamed
/// file, or to memory if an encryption key is in use. The second reading returns the copy, then the
/// rest of the pipe.
package final class InputSpool {
    package let file: InputFile
    private var copy: Int32 = -1
    private let start: off_t

    /// Opens the input. If the input is not a regular file, also creates the file or memory for the
    /// copy of its data. Throws `input` if the copy cannot be created.
    package init(_ path: String, isConfidential: Bool) throws(RealmError) {
        file = try InputFile(path)
        var status = stat()
        let isFile =
            fstat(file.descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        start = isFile ? lseek(file.descriptor, 0, SEEK_CUR) : -1
        guard start < 0 else { return }
        copy =
            isConfidential
            ? try memoryDescriptor() : try temporaryDescriptor(in: Terminal.temporaryDirectory)
    }

    deinit { if copy >= 0 { close(copy) } }

    /// Source for the first reading.
    package func firstSource() -> ByteSource {
        ByteSource(
            descriptor: file.descriptor, path: file.path, copiedTo: copy,
            copyPath: Terminal.temporaryDirectory)
    }

    /// Source for the second reading, from the start of the input.
    package func secondSource() throws(RealmError) -> ByteSource {
        let descriptor = copy >= 0 ? copy : file.descriptor
        guard lseek(descriptor, max(0, start), SEEK_SET) >= 0 else {
            throw systemFailure(.input, "cannot read again", errno: errno, file: file.path)
        }
        return ByteSource(
            descriptor: descriptor, path: file.path,
            followedBy: copy >= 0 ? file.descriptor : -1)
    }
}
