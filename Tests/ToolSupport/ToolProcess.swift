import Glibc

/// A command-line tool that ran without a terminal and has exited: its output and exit status.
struct ToolProcess {
    let output: [UInt8]
    let errors: [UInt8]
    /// Exit status as reported by a shell: 128 and more for a signal.
    let status: Int32

    var text: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errors, as: UTF8.self) }

    /// Runs a bash script in which `$TOOL` is the path of a debug executable.
    ///
    /// The script determines the exit status.
    static func shell(_ script: String, tool: String = "realm-query") -> ToolProcess {
        spawn(
            ["/bin/bash", "-c", "TOOL=$0; " + script, directoryOfExecutables + "/" + tool])
    }

    /// Whether all of these programs are installed. Checked one by one, since `command -v` succeeds
    /// if any of its arguments exists.
    static func has(_ programs: String...) -> Bool {
        shell(programs.map { "command -v \($0)" }.joined(separator: " && ")).status == 0
    }

    /// Runs a debug executable with arguments.
    static func run(_ tool: String, _ arguments: [String]) -> ToolProcess {
        spawn([directoryOfExecutables + "/" + tool] + arguments)
    }

    private static func spawn(_ words: [String]) -> ToolProcess {
        // Output goes to files, so that neither process waits for the other to empty a pipe.
        let output = unnamedFile()
        let errors = unnamedFile()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        // Unblocks all signals in the child process: threads of the test runner block signals that
        // scripts send to the tool.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        let result = posix_spawn(&pid, words[0], &actions, &attributes, arguments, environ)
        posix_spawnattr_destroy(&attributes)
        precondition(result == 0, "cannot start \(words[0])")
        posix_spawn_file_actions_destroy(&actions)
        for argument in arguments { free(argument) }

        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return ToolProcess(
            output: rewound(output), errors: rewound(errors),
            status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }

    private static func unnamedFile() -> Int32 {
        var template = Array("\(scratchRoot)/toolkit-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        precondition(descriptor >= 0, "no temporary file")
        unlink(template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
        return descriptor
    }

    /// Returns the content of the file and closes it.
    private static func rewound(_ descriptor: Int32) -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        defer { close(descriptor) }
        return drain(descriptor)
    }

    /// Directory of the executables, beside the test bundle.
    private static let directoryOfExecutables: String = {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes {
            readlink("/proc/self/exe", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
        }
        let own = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        let folder = own.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let isThere = access(folder + "/realm-query", X_OK) == 0
        return isThere ? folder : packageRoot + "/.build/debug"
    }()
}
