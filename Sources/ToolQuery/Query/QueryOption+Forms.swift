import RealmEngine
import ToolKit

extension OptionForm where Value == [String] {
    /// Names separated by commas.
    static var names: Self {
        Self(.properties) { (text) throws(OptionValueError) in try items(text) }
    }

    /// Key paths separated by commas. `QueryOrder` converts them to clauses.
    static var keyPaths: Self {
        Self(.properties) { (text) throws(OptionValueError) in
            let paths = NameList.parts(text)
            for path in paths where path.isEmpty || path == "-" {
                throw OptionValueError(to: path, "not a key path")
            }
            return paths
        }
    }
}

extension OptionForm where Value == [String] {
    /// Key paths such as `owner.name`, and aggregates of key paths. A hyphen before an item means
    /// descending order.
    static var sortKeys: Self {
        Self(.properties) { (text) throws(OptionValueError) in
            let items = NameList.parts(text)
            for item in items { try checkSortKey(item) }
            return items
        }
    }

    /// Throws an error if the item has an empty key path, such as `-`.
    static func checkSortKey(_ item: String) throws(OptionValueError) {
        let name = item.hasPrefix("-") ? String(item.dropFirst()) : item
        let path = AggregateName(name)?.property ?? name
        if path.isEmpty { throw OptionValueError(to: item, "not a key path") }
    }
}

extension OptionForm where Value == [FieldRequest.Field] {
    /// Key paths, each with an optional name for the output: `NAME=PATH`.
    static var fields: Self {
        Self(.properties) { (text) throws(OptionValueError) in
            try items(text).map { (item) throws(OptionValueError) in try FieldRequest.field(item) }
        }
    }
}

extension FieldRequest {
    /// Parses `PATH` or `NAME=PATH`.
    static func field(_ item: String) throws(OptionValueError) -> Field {
        guard let sign = item.firstIndex(of: "=") else { return (nil, item) }
        let path = String(item[item.index(after: sign)...])
        guard !path.isEmpty, sign != item.startIndex else { throw missing(item) }
        return (String(item[..<sign]), path)
    }
}

extension OptionForm where Value == ChangeRequest.Other {
    /// Argument of `--diff`: the path of a file, or `@` and a version of the same file.
    static var comparedWith: Self {
        Self(.text) { (text) throws(OptionValueError) in
            guard text.hasPrefix("@") else { return .file(text) }
            switch text {
            case "@latest": return .version(.newest)
            case "@previous": return .version(.previous)
            default:
                guard let number = ValueForms.count(text.dropFirst()) else {
                    throw OptionValueError(
                        to: text, "not a version", hint: "@previous, @latest, or @ and a number")
                }
                return .version(.number(UInt64(number)))
            }
        }
    }
}

/// Splits a list. Throws an error if an item is empty.
private func items(_ list: String) throws(OptionValueError) -> [String] {
    let items = NameList.parts(list)
    if items.contains("") { throw missing(list) }
    return items
}

private func missing(_ list: String) -> OptionValueError {
    OptionValueError("a name is missing in '\(list)'")
}
