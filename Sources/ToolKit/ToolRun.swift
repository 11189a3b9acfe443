import Glibc
import RealmEngine

/// Runs a tool from its arguments to its exit status.
package enum ToolRun {
    /// Parses the arguments, prints help or version if requested, and otherwise calls `body`.
    /// Reports an error and returns its exit status.
    package static func run(
        _ table: CommandTable, _ arguments: [String], version: String = Capabilities.version,
        _ body: (ParsedCommand) throws(RealmError) -> ExitCode
    ) -> Int32 {
        let words = arguments.dropFirst()
        let code: ExitCode
        do throws(RealmError) {
            openStandardDescriptors()
            code = try answer(table, words, version, body)
        } catch {
            let asJSON = words.prefix { $0 != "--" }.contains(SharedOptions.json.spelling)
            code = Diagnostics(tool: table.name, asJSON: asJSON).report(error)
        }
        return code.rawValue
    }

    private static func answer(
        _ table: CommandTable, _ words: ArraySlice<String>, _ version: String,
        _ body: (ParsedCommand) throws(RealmError) -> ExitCode
    ) throws(RealmError) -> ExitCode {
        if let text = try Generator.requested(by: words.first, table) { return try print(text) }
        if let names = NameCompletion(words, table) { return try print(names.text) }
        let command = try OptionParser.parse(
            table, words, posixlyCorrect: getenv("POSIXLY_CORRECT") != nil)
        // These options end the parse, so at most one of them is given.
        if command[SharedOptions.shortHelp] { return try print(HelpText.short(table)) }
        if command[SharedOptions.help] { return try print(HelpText.full(table)) }
        if command[SharedOptions.version] {
            return try print(Capabilities.text(tool: table.name, version: version))
        }
        try checkAddressSpace()
        Signals.install(
            tool: table.name, file: command.databasePath, asJSON: command.wantsJSONErrors)
        return try body(command)
    }

    /// Minimum of the address space limit. With a lower limit, an allocation, thread or stack may
    /// fail where the error cannot be reported.
    private static let minimumAddressSpace = 1 << 30

    private static func checkAddressSpace() throws(RealmError) {
        guard let limit = AddressSpace.limit, limit < minimumAddressSpace else { return }
        throw RealmError(
            .input, code: "LimitExceeded", reason: "address-space",
            "the limit on addresses (ulimit -v) is \(Quantity.bytes(limit)); at least "
                + "\(Quantity.bytes(minimumAddressSpace)) are needed",
            hint: "raise the limit of the address space (ulimit -v); --max-memory limits the "
                + "memory")
    }

    private static func print(_ text: String) throws(RealmError) -> ExitCode {
        var buffer = ByteBuffer(capacity: text.utf8.count)
        buffer.append(text)
        let output = try OutputFile(path: nil, force: false)
        try output.flush(&buffer)
        try output.commit()
        return .ok
    }

    /// Opens `/dev/null` for standard descriptors that the parent process has closed. Otherwise a
    /// database could get such a descriptor, and a message would be written into the database. The
    /// substitutes do not permit reading or writing, so that using a closed descriptor is an error.
    private static func openStandardDescriptors() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", mode)
        }
    }
}
