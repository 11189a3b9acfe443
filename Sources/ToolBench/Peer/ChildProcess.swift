import Glibc
import RealmEngine
import ToolKit

/// A child process that reads commands from its standard input and answers on its standard error,
/// line by line.
///
/// Confined to one thread. The child ends when this object is released, if not before.
final class ChildProcess {
    private let name: String
    private let identifier: pid_t
    /// Socket that is the standard input of the child. A socket and not a pipe, because writing to
    /// a socket can be prevented from raising SIGPIPE.
    private var input: Int32
    private let answers: Int32
    private var received: [UInt8] = []
    private var hasEnded = false

    /// Starts the program `name` in `PATH`. Throws `input` if it does not exist.
    init(_ name: String, _ arguments: [String]) throws(RealmError) {
        self.name = name
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) == 0 else {
            throw systemFailure(.output, "cannot make a socket", errno: errno)
        }
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else {
            let code = errno
            for end in ends { close(end) }
            throw systemFailure(.output, "cannot make a pipe", errno: code)
        }
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        (input, answers) = (ends[0], pipes[0])
        let result = Self.spawn([name] + arguments, input: ends[1], answers: pipes[1])
        close(ends[1])
        close(pipes[1])
        identifier = result.identifier
        guard result.code == 0 else {
            hasEnded = true
            close(input)
            close(answers)
            throw RealmError(
                .input, code: "FileNotFound", reason: "no-program",
                "the program \(name) cannot be run: \(String(cString: strerror(result.code)))",
                hint: "install it, or measure without --against")
        }
    }

    deinit { end() }

    private static func spawn(
        _ words: [String], input: Int32, answers: Int32
    ) -> (identifier: pid_t, code: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, answers, STDERR_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, words[0], &actions, nil, &arguments, environ)
        return (identifier, code)
    }

    /// Sends text to the child. If the child has ended, throws `input` with the last lines that it
    /// printed.
    func send(_ text: borrowing ByteBuffer) throws(RealmError) {
        var rest = text.bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.send(
                input, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failed() }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the lines that the child prints on its standard error, up to the line `mark`.
    func lines(until mark: String) throws(RealmError) -> [String] {
        var lines: [String] = []
        while true {
            while let end = received.firstIndex(of: 0x0A) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeFirst(end + 1)
                if line == mark { return lines }
                lines.append(line)
            }
            guard readMore() else { throw failed(lines) }
        }
    }

    private func readMore() -> Bool {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = retryingInterrupts { read(answers, &piece, piece.count) }
        if count > 0 { received += piece[..<count] }
        return count > 0
    }

    private func failed(_ lines: [String] = []) -> RealmError {
        while readMore() {}
        let rest = String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
        let last = (lines + rest).last ?? "it said nothing"
        return RealmError(
            .input, code: "RuntimeError", reason: "peer", "\(name) ended early: \(last)")
    }

    /// Number of bytes that the child passed to write calls, and number of bytes that were written
    /// to storage for it, according to the kernel.
    var written: (calls: Int, storage: Int) {
        let text = SystemText.contents("/proc/\(identifier)/io") ?? ""
        func count(_ name: String) -> Int {
            SystemText.field(name, in: text).flatMap { ValueForms.count($0) } ?? 0
        }
        return (count("wchar"), count("write_bytes"))
    }

    /// Peak memory of the child, in bytes.
    var peakMemory: Int {
        let text = SystemText.contents("/proc/\(identifier)/status") ?? ""
        let field = SystemText.field("VmHWM", in: text) ?? ""
        return (ValueForms.count(field.prefix { $0 != " " }) ?? 0) << 10
    }

    /// Closes the child's standard input and waits until it has ended.
    func end() {
        if hasEnded { return }
        hasEnded = true
        close(input)
        while readMore() {}
        close(answers)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }
}
