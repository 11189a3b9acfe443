import Foundation
import Glibc

/// A participant of a session in a separate process.
final class PeerProcess {
    let pid: pid_t
    private let output: Int32
    private var status: Int32?

    /// Starts `session-peer` with `words`; `environment` is added to the tests' own environment.
    init(_ words: [String], _ environment: [String: String] = [:]) {
        var template = Array(
            "\(FileManager.default.temporaryDirectory.path)/peer-XXXXXX".utf8CString)
        output = mkstemp(&template)
        precondition(output >= 0)
        unlink(template)
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let arguments = ([Self.executable] + words).map { strdup($0) } + [nil]
        let variables = all.map { strdup("\($0)=\($1)") } + [nil]
        var pid: pid_t = 0
        let result = posix_spawn(&pid, Self.executable, &actions, nil, arguments, variables)
        precondition(result == 0, "cannot start \(Self.executable)")
        posix_spawn_file_actions_destroy(&actions)
        for text in arguments + variables { free(text) }
        self.pid = pid
    }

    deinit {
        kill()
        close(output)
    }

    /// Everything that the process has written to standard output so far.
    var text: String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var text: [UInt8] = []
        while true {
            let count = pread(output, &bytes, bytes.count, off_t(text.count))
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += bytes[..<count]
        }
    }

    /// Lines of output so far, without an incomplete last line.
    var lines: [Substring] {
        let text = text
        let lines = text.split(separator: "\n")
        return text.hasSuffix("\n") ? lines : lines.dropLast()
    }

    /// The newest version that the process has reported with a line `made VERSION`; nil if there is
    /// none.
    var newestMade: UInt64? {
        lines.last { $0.hasPrefix("made ") }.flatMap { UInt64($0.dropFirst(5)) }
    }

    /// Kills the process.
    func kill() {
        if status != nil { return }
        Glibc.kill(pid, SIGKILL)
        _ = wait()
    }

    /// Waits until the process ends; returns its exit status, or 128 plus the signal.
    @discardableResult
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(pid, &raw, 0) < 0, errno == EINTR {}
        let signal = raw & 0x7F
        let ended = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
        status = ended
        return ended
    }

    /// Whether the process has ended.
    var hasEnded: Bool {
        if status != nil { return true }
        var info = siginfo_t()
        return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0
            && info.si_signo == SIGCHLD
    }

    /// Waits for a line that begins with `start`; returns nil if the process ends first.
    func waitFor(_ start: String) -> Substring? {
        while true {
            let hasEnded = hasEnded
            if let line = lines.first(where: { $0.hasPrefix(start) }) { return line }
            if hasEnded { return nil }
            usleep(500)
        }
    }

    /// Path of the executable `session-peer`, in the folder of the test bundle or of the debug
    /// build.
    private static let executable: String = {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = own.deletingLastPathComponent().appending(path: "session-peer").path
        return FileManager.default.isExecutableFile(atPath: beside)
            ? beside : Fixtures.repository.appending(path: ".build/debug/session-peer").path
    }()
}
