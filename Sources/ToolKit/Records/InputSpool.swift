import Glibc
import RealmEngine

/// An input that is read twice: once to look at it, once to use it.
///
/// A file is simply read again. What comes through a pipe is copied to a file without a name while
/// it is looked at, or to memory where a key is in play; the second reader gets the copy, then what is
/// left in the pipe.
package final class InputSpool {
    package let file: InputFile
    private var copy: Int32 = -1
    private let start: off_t

    /// Throws `input` when there is no place for the copy.
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

    /// The input as the first reader sees it.
    package func firstSource() -> ByteSource {
        ByteSource(descriptor: file.descriptor, path: file.path, copiedTo: copy)
    }

    /// The whole input once more.
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
