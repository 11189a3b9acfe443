import RealmEngine
import RealmRecords
import ToolKit

/// `-E`: a condition for a fact about the file, such as `live-versions<=2`: the name of the fact,
/// an operator and a value.
struct Expectation: Sendable {
    private enum Comparison: String, CaseIterable, Sendable {
        // Longer operators come first, because `<` is a prefix of `<=`.
        case notEqual = "!="
        case atMost = "<="
        case atLeast = ">="
        case equal = "="
        case less = "<"
        case more = ">"

        func holds<T: Comparable>(_ a: T, _ b: T) -> Bool {
            switch self {
            case .notEqual: a != b
            case .atMost: a <= b
            case .atLeast: a >= b
            case .equal: a == b
            case .less: a < b
            case .more: a > b
            }
        }
    }

    let key: FactKey
    private let text: String
    private let comparison: Comparison
    private let value: String

    /// Parses a condition such as `live-versions<=2`. Throws an error for the name of an unknown
    /// fact and for malformed text.
    init(_ text: String) throws(OptionValueError) {
        guard let start = text.firstIndex(where: { "!<>=".contains($0) }) else {
            throw Self.malformed(text, "it compares nothing")
        }
        let name = String(text[..<start])
        let rest = text[start...]
        guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) })
        else { throw Self.malformed(text, "it compares nothing") }
        guard let key = FactKey(rawValue: name) else {
            let nearest = Spelling.nearest(to: name, among: FactKey.names) ?? ""
            throw OptionValueError(
                "there is no key '\(name)'", reason: "unknown-key",
                hint: "did you mean \(nearest)?")
        }
        self.text = text
        self.key = key
        self.comparison = comparison
        // `==` is accepted, too, since other programs use it.
        let isDouble = comparison == .equal && rest.hasPrefix("==")
        value = String(rest.dropFirst(isDouble ? 2 : comparison.rawValue.count))
        try checkValue()
    }

    private static func malformed(_ text: String, _ why: String) -> OptionValueError {
        OptionValueError(
            to: text, "no expectation: \(why)",
            hint: "a key, one of = != < <= > >=, and a value: 'format<=24'")
    }

    private func checkValue() throws(OptionValueError) {
        if value.isEmpty { throw Self.malformed(text, "the value is missing") }
        let isOrder = comparison != .equal && comparison != .notEqual
        switch key {
        case .file, .history:
            if isOrder { throw Self.malformed(text, "\(key.rawValue) has no order") }
        case .encrypted, .streaming, .compact:
            if isOrder || !["true", "false", "null"].contains(value) {
                throw Self.malformed(text, "\(key.rawValue) is true or false")
            }
        default:
            if number == nil, isOrder || value != "null" {
                throw Self.malformed(text, "'\(value)' is not a number")
            }
        }
    }

    /// The expected value in the unit of the fact: bytes, tenths of a percent, or a plain number.
    /// Nil if it is malformed.
    private var number: Int? {
        if key.isSize { return ValueForms.size(value) }
        guard key.rawValue.hasSuffix("percent") else { return ValueForms.count(value) }
        let digits = value.hasSuffix("%") ? value.dropLast() : value[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = ValueForms.count(parts[0]), whole <= 1 << 20 else {
            return nil
        }
        guard parts.count == 2 else { return whole * 10 }
        guard parts[1].utf8.count == 1, let tenths = ValueForms.count(parts[1]) else { return nil }
        return whole * 10 + tenths
    }

    func holds(_ fact: Fact?) -> Bool {
        switch fact {
        case nil: return comparison.holds("null", value)
        case .number(let actual):
            guard let number else { return comparison == .notEqual }
            return comparison.holds(actual, UInt64(number))
        case .tenths(let actual):
            guard let number else { return comparison == .notEqual }
            return comparison.holds(actual, number)
        case .flag(let flag): return comparison.holds(String(flag), value)
        case .text(let actual): return comparison.holds(actual, value)
        }
    }

    /// Returns the message for an expectation that is not met.
    func complaint(_ facts: FileFacts) -> String {
        var message = "expected \(text), found \(facts.value(key)?.plain ?? "nothing")"
        if key == .compact, let free = facts.value(.freePercent) {
            message += " (free \(free.plain)%"
            if case .tenths(1...)? = facts.value(.pinnedPercent) {
                message += ", pinned \(facts.value(.pinnedPercent)!.plain)%"
            }
            message += ")"
        }
        return message
    }
}

extension OptionForm where Value == Expectation {
    static var expectation: Self {
        Self(.text) { (text) throws(OptionValueError) in try Expectation(text) }
    }
}
