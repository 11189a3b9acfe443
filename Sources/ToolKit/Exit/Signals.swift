import Glibc
import RealmEngine

/// Signal handlers of a tool. They remove temporary files and end the process.
///
/// The handlers call only async-signal-safe functions. They access only memory that was initialised
/// before the handlers were installed.
package enum Signals {
    /// Message for a truncated database. Written by `install` before it installs the handlers;
    /// read-only afterwards.
    nonisolated(unsafe) private static var truncatedMessage = UnsafeRawBufferPointer(
        start: nil, count: 0)

    /// Installs the handlers. Must be called once, before the first output file is created.
    ///
    /// - Parameter file: path of the database, for the message if it turns out to be truncated.
    static func install(tool: String, file: String?, asJSON: Bool) {
        prepareTruncatedMessage(tool, file, asJSON)
        TemporaryFiles.unlinkAll()  // nothing yet: makes the list exist before a handler asks
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { installEnding(number) }
        TruncationTrap.disable()
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in Signals.endTruncated() }
        sigaction(SIGBUS, &action, nil)
        // Exceeding a file-size limit is reported as a write error instead of SIGXFSZ.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Removes temporary files and ends the process like the default action of SIGPIPE.
    package static func terminateBySIGPIPE() -> Never {
        TemporaryFiles.unlinkAll()
        signal(SIGPIPE, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }

    /// Installs a handler that removes temporary files and then re-raises the signal with its
    /// default action. A signal that the parent process ignored (`nohup`) stays ignored; for
    /// SIGPIPE, writing to a closed pipe then fails with EPIPE.
    private static func installEnding(_ number: Int32) {
        var action = sigaction()
        sigaction(number, nil, &action)
        if isIgnored(action) { return }
        action = sigaction()
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        action.__sigaction_handler.sa_handler = { number in
            TemporaryFiles.unlinkAll()
            raise(number)
        }
        sigaction(number, &action, nil)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func prepareTruncatedMessage(_ tool: String, _ file: String?, _ asJSON: Bool) {
        let error = RealmError(
            .corrupt, code: "InvalidDatabase", reason: "truncated",
            "the file was truncated while it was being read", file: file)
        var buffer = ByteBuffer(capacity: 256)
        ErrorText.append(error, tool: tool, asJSON: asJSON, to: &buffer)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count, alignment: 1)
        copy.copyMemory(from: buffer.bytes)
        truncatedMessage = UnsafeRawBufferPointer(copy)
    }

    private static func endTruncated() {
        TemporaryFiles.unlinkAll()
        _ = write(STDERR_FILENO, truncatedMessage.baseAddress, truncatedMessage.count)
        _exit(ExitCode.damaged.rawValue)
    }
}
