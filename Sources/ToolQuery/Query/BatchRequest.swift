import RealmEngine
import RealmRecords
import ToolKit

/// A request of `--batch`: one JSON object of the input. The names and types of its members have
/// been checked.
struct BatchRequest {
    private(set) var className: String?
    private(set) var predicate = "TRUEPREDICATE"
    private(set) var arguments: [QueryArgument] = []
    private(set) var sort: [String]?
    private(set) var distinct: [String]?
    private(set) var fields: [String]?
    private(set) var aggregate: [String]?
    private(set) var groupBy: [String]?
    /// Whether objects are only counted; nil for the default of the command line.
    private(set) var isCount: Bool?
    private(set) var window = RecordWindow.all

    private enum Member: String, CaseIterable {
        case id
        case className = "class"
        case predicate = "where"
        case args, sort, distinct, limit, offset, fields, count, aggregate, groupBy
    }

    /// Parses a request of `--batch`.
    ///
    /// - Throws: `misuse` for unknown members, wrong types, and members that cannot be combined.
    init(_ request: JSONValue) throws(RealmError) {
        guard request.kind == .object else { throw Self.wrong("a request is an object") }
        for member in request.children {
            let name = member.key.string
            guard let known = Member(rawValue: name) else { throw Self.unknown(name) }
            try read(member, known)
        }
        try checkTogether()
    }

    private mutating func read(_ value: JSONValue, _ member: Member) throws(RealmError) {
        let name = member.rawValue
        switch member {
        case .id: break
        case .className: className = try Self.text(value, name)
        case .predicate: predicate = try Self.text(value, name)
        case .args: arguments = try Self.arguments(value)
        case .sort: sort = try Self.sortKeys(value, name)
        case .distinct: distinct = try Self.list(value, name)
        case .limit: window.take = try Self.number(value, name)
        case .offset: window.skip = try Self.number(value, name)
        case .fields: fields = try Self.list(value, name)
        case .count: isCount = try Self.bool(value, name)
        case .aggregate: aggregate = try Self.list(value, name)
        case .groupBy: groupBy = try Self.list(value, name)
        }
    }

    private func checkTogether() throws(RealmError) {
        if groupBy != nil, aggregate == nil { throw Self.wrong("groupBy needs aggregate") }
        guard aggregate != nil else { return }
        if fields != nil { throw Self.wrong("fields cannot be used with aggregate") }
        if isCount != nil { throw Self.wrong("count cannot be used with aggregate") }
        if groupBy == nil, window != .all {
            throw Self.wrong(
                "limit and offset cannot be used with aggregate",
                hint: "with groupBy they count groups; LIMIT in the predicate counts objects")
        }
    }

    /// Returns the query of the request, with its sort order and DISTINCT.
    func filter(_ options: QueryOptions, _ language: QueryLanguage) throws(RealmError)
        -> QueryFilter
    {
        var order: [QueryOrder] = []
        if let sort, groupBy == nil { order.append(try QueryFilter.sort(sort)) }
        if let distinct { order.append(.distinct(distinct)) }
        return QueryFilter(text: predicate, order, arguments: arguments, options, language)
    }
}

// MARK: - Members

extension BatchRequest {
    private static func wrong(
        _ message: String, reason: String = "bad-value", hint: String? = nil
    ) -> RealmError {
        .misuse(message, code: "InvalidArgument", reason: reason, hint: hint)
    }

    private static func unknown(_ name: String) -> RealmError {
        let near = Spelling.nearest(to: name, among: Member.allCases.map(\.rawValue)) ?? ""
        return wrong(
            "a request has no member '\(name)'", reason: "unknown-member",
            hint: "did you mean \(near)?")
    }

    private static func text(_ value: JSONValue, _ name: String) throws(RealmError) -> String {
        guard value.kind == .string else { throw wrong("\(name) is a string") }
        return value.text.string
    }

    private static func bool(_ value: JSONValue, _ name: String) throws(RealmError) -> Bool {
        guard let bool = value.bool else { throw wrong("\(name) is true or false") }
        return bool
    }

    private static func number(_ value: JSONValue, _ name: String) throws(RealmError) -> Int {
        guard let number = value.int, number >= 0 else {
            throw wrong("\(name) is a whole number, 0 or more")
        }
        return Int(number)
    }

    /// Returns the items of a list. It is either a string in the format of the option's argument,
    /// or an array of strings.
    private static func list(_ value: JSONValue, _ name: String) throws(RealmError) -> [String] {
        var items: [String] = []
        if value.kind == .string {
            items = NameList.parts(value.text.string)
        } else {
            for child in value.children where value.kind == .array && child.kind == .string {
                items.append(child.text.string)
            }
            guard value.kind == .array, items.count == value.count, !items.isEmpty else {
                throw wrong("\(name) is a string, or an array of strings")
            }
        }
        if items.contains("") { throw wrong("\(name): '' is not a key path") }
        return items
    }

    private static func sortKeys(
        _ value: JSONValue, _ name: String
    ) throws(RealmError) -> [String] {
        let items = try list(value, name)
        for item in items {
            do throws(OptionValueError) { try OptionForm.checkSortKey(item) } catch {
                throw wrong("\(name): \(error.message)")
            }
        }
        return items
    }

    private static func arguments(_ value: JSONValue) throws(RealmError) -> [QueryArgument] {
        guard value.kind == .array else { throw wrong("args is an array") }
        var arguments: [QueryArgument] = []
        for child in value.children {
            do throws(OptionValueError) { arguments.append(try ArgumentJSON.argument(child)) } catch
            {
                throw wrong("--argjson: \(error.message)", reason: ArgumentJSON.reason)
            }
        }
        return arguments
    }
}
