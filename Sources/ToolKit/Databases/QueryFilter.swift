import RealmEngine

/// The query of a command line: predicate, order, distinctness and arguments.
///
/// What options say about order becomes part of the query's text, behind the predicate, so that
/// there is one language and one way to run it.
package struct QueryFilter {
    package let text: String
    package let arguments: [QueryArgument]
    private let options: QueryOptions

    /// Nil when the command asks for no query.
    package init?(_ command: ParsedCommand) throws(RealmError) {
        let predicate = try Self.predicate(command)
        var tail = ""
        if let list = command.text("sort") {
            let keys = try Self.paths(list, "--sort").map {
                $0.hasPrefix("-") ? "\($0.dropFirst()) DESC" : "\($0) ASC"
            }
            tail += " SORT(\(keys.joined(separator: ", ")))"
        }
        if let list = command.text("distinct") {
            tail += " DISTINCT(\(try Self.paths(list, "--distinct").joined(separator: ", ")))"
        }
        arguments = try Self.arguments(command)
        options = QueryOptions(command)
        guard predicate != nil || !tail.isEmpty else {
            guard arguments.isEmpty else {
                throw .misuse(
                    "--arg and --argjson bind $0, $1 … of a predicate",
                    code: "InvalidArgument")
            }
            return nil
        }
        text = (predicate.map(Self.completed) ?? "TRUEPREDICATE") + tail
    }

    /// Another query, under the options of the command.
    package init(text: String, arguments: [QueryArgument], _ command: ParsedCommand) {
        self.text = text
        self.arguments = arguments
        options = QueryOptions(command)
    }

    private static func predicate(_ command: ParsedCommand) throws(RealmError) -> String? {
        guard let file = command.text("query-file") else { return command.operand(2) }
        guard command.operand(2) == nil else {
            throw .misuse(
                "the predicate is given twice: as an argument and by --query-file",
                code: "InvalidArgument")
        }
        return try InputFile(file).readAll(limit: 16 << 20).string
    }

    /// `SORT(…)`, `DISTINCT(…)` or `LIMIT(…)` without a predicate before it is about all objects.
    private static func completed(_ predicate: String) -> String {
        let text = predicate.utf8.drop { isBlank($0) }
        let word = text.prefix { !isBlank($0) && $0 != UInt8(ascii: "(") }
        let next = text[word.endIndex...].first { !isBlank($0) }
        let isTail = ["sort", "distinct", "limit"].contains(String(Substring(word)).lowercased())
        return isTail && next == UInt8(ascii: "(") ? "TRUEPREDICATE " + predicate : predicate
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    /// Key paths separated by commas: names, dots and brackets only, so that nothing else of the
    /// query language can slip in.
    private static func paths(_ list: String, _ option: String) throws(RealmError) -> [String] {
        let paths = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let separators = Set(" \t\r\n(){}'\"".utf8)
        for path in paths
        where path.isEmpty || path == "-" || path.utf8.contains(where: { separators.contains($0) })
        {
            throw .misuse(
                "\(option): '\(path)' is no key path", code: "InvalidArgument", reason: "bad-value")
        }
        return paths
    }

    /// What `--arg` and `--argjson` bind, in their order.
    package static func arguments(_ command: ParsedCommand) throws(RealmError) -> [QueryArgument] {
        var arguments: [QueryArgument] = []
        for occurrence in command.occurrences {
            guard let value = occurrence.value else { continue }
            if occurrence.name == "arg" { arguments.append(.text(value)) }
            if occurrence.name == "argjson" {
                arguments.append(try ArgumentJSON.argument(value))
            }
        }
        return arguments
    }

    /// The plan for one class, of which `most` objects are enough. Throws `misuse` with the place of
    /// a mistake.
    package func plan(
        _ table: TableInfo, _ snapshot: Snapshot, most: Int = .max
    ) throws(RealmError) -> QueryPlan {
        let limited = most == .max ? text : "\(text) LIMIT(\(most))"
        let query = try Query(limited, arguments: arguments)
        return try QueryPlan(
            try query.bound(to: snapshot.table(table)), in: snapshot, options: options)
    }
}

extension QueryOptions {
    /// Memory and temporary files as the command allows.
    package init(_ command: ParsedCommand) {
        self.init()
        memoryLimit = command.maxMemory
        spillDirectory = Terminal.temporaryDirectory
    }
}

/// A query argument written as JSON, plain or extended.
package enum ArgumentJSON {
    package static func argument(_ text: String) throws(RealmError) -> QueryArgument {
        let tape = JSONTape()
        var text = text
        let result = text.withUTF8 { utf8 -> Result<QueryArgument, RealmError> in
            let view = ByteView(
                UnsafeRawPointer(utf8.baseAddress ?? UnsafePointer(bitPattern: 8)!),
                count: utf8.count)
            return Result { () throws(RealmError) in
                let value: JSONValue
                do throws(RecordError) { value = try tape.parse(copying: view) } catch {
                    throw .misuse(
                        "--argjson: \(error.message)", code: "InvalidArgument", reason: "bad-json")
                }
                return try argument(value)
            }
        }
        return try result.get()
    }

    /// A JSON value as an argument; strings stand for values of the other side's type.
    package static func argument(_ value: JSONValue) throws(RealmError) -> QueryArgument {
        if value.kind == .array {
            var elements: [QueryArgument] = []
            var children = value.children
            while let child = children.next() { elements.append(try argument(child)) }
            return .list(elements)
        }
        if value.kind == .string { return .text(value.text.string) }
        let form: MixedForm
        do throws(ValueMismatch) { form = try value.mixed() } catch {
            throw .misuse(
                "--argjson: expected \(error.expected), got \(error.got)", code: "InvalidArgument",
                reason: "bad-json")
        }
        guard case .scalar(let scalar) = form else {
            throw .misuse(
                "--argjson: an argument is a scalar or a list", code: "InvalidArgument",
                reason: "bad-json")
        }
        return argument(scalar)
    }

    private static func argument(_ value: Value) -> QueryArgument {
        switch value {
        case .int(let v): .int(v)
        case .bool(let v): .bool(v)
        case .float(let v): .float(v)
        case .double(let v): .double(v)
        case .string(let v): .string(v.string)
        case .binary(let v): .binary(v.bytes)
        case .timestamp(let v): .timestamp(v)
        case .decimal(let v): .decimal(v)
        case .objectID(let v): .objectID(v)
        case .uuid(let v): .uuid(v)
        case .link(let v): .link(v)
        case .null, .list, .set, .dictionary: .null
        }
    }
}
