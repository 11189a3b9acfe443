import RealmEngine
import ToolKit

/// The query of a command line: predicate, sort order, DISTINCT and arguments. Options such as
/// `--sort` become clauses after the clauses in the predicate's text.
extension QueryFilter {
    /// Returns nil if the command has no query.
    init?(_ command: ParsedCommand) throws(RealmError) {
        let predicate = try Self.predicate(command)
        var order: [QueryOrder] = []
        if let items = command[QueryOption.sort], !command.isGiven(QueryOption.groupBy) {
            order.append(try Self.sort(items))
        }
        if let paths = command[QueryOption.distinct] { order.append(.distinct(paths)) }
        let arguments = command.arguments
        guard predicate != nil || !order.isEmpty else {
            guard arguments.isEmpty else {
                throw .misuse(
                    "--arg and --argjson need a predicate with $0, $1 …",
                    code: "InvalidArgument")
            }
            return nil
        }
        let text = predicate.map(Self.completed) ?? "TRUEPREDICATE"
        self.init(text: text, order, arguments: arguments, command)
    }

    /// Returns the sort order for key paths. A key path with a hyphen sorts in descending order.
    static func sort(_ items: [String]) throws(RealmError) -> QueryOrder {
        if let item = items.first(where: { AggregateName($0) != nil }) {
            throw .misuse(
                "--sort: '\(item)' is not a key path", code: "InvalidArgument",
                reason: "bad-value",
                hint: "only groups can be sorted by aggregates, with --group-by")
        }
        return .sort(
            items.map { item in
                let isDescending = item.hasPrefix("-")
                return (
                    path: isDescending ? String(item.dropFirst()) : item,
                    isAscending: !isDescending
                )
            })
    }

    private static func predicate(_ command: ParsedCommand) throws(RealmError) -> String? {
        guard let file = command[QueryOption.queryFile] else { return command.operand(2) }
        guard command.operand(2) == nil else {
            throw .misuse(
                "the predicate is given twice: as an argument and by --query-file",
                code: "InvalidArgument")
        }
        return try InputFile(file).readAll(limit: 16 << 20).string
    }

    /// Inserts `TRUEPREDICATE` before a text that begins with `SORT(…)`, `DISTINCT(…)` or
    /// `LIMIT(…)`.
    private static func completed(_ predicate: String) -> String {
        let text = predicate.utf8.drop { isBlank($0) }
        let word = text.prefix { !isBlank($0) && $0 != UInt8(ascii: "(") }
        let next = text[word.endIndex...].first { !isBlank($0) }
        let isTail = ["sort", "distinct", "limit"].contains(String(Substring(word)).lowercased())
        return isTail && next == UInt8(ascii: "(") ? "TRUEPREDICATE " + predicate : predicate
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}
