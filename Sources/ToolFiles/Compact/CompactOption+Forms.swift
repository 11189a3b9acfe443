import RealmEngine
import ToolKit

extension OptionForm where Value == CompactRequest.Threshold {
    /// A percentage of the file, or a size.
    static var threshold: Self {
        Self(.text) { (text) throws(OptionValueError) in
            if text.hasSuffix("%"), let percent = ValueForms.count(text.dropLast()),
                (0...100).contains(percent)
            {
                return .percent(percent)
            }
            if let bytes = ValueForms.size(text) { return .bytes(bytes) }
            throw OptionValueError(to: text, "neither a share (30%) nor a size (100MiB)")
        }
    }
}

extension OptionForm where Value == Enumeration {
    /// Parses the argument of `--enumerate`: a percentage, `auto`, or a list of properties.
    static var enumeration: Self {
        Self(.text) { (text) throws(OptionValueError) in
            if text == "auto" { return .smaller }
            guard let percent = ValueForms.count(text) else {
                return .properties(try properties(text))
            }
            guard (1...100).contains(percent) else {
                throw OptionValueError(to: text, "not a percentage from 1 to 100")
            }
            return .below(percent: percent)
        }
    }

    private static func properties(
        _ text: String
    ) throws(OptionValueError) -> [Enumeration.Property] {
        try text.split(separator: ",", omittingEmptySubsequences: false)
            .map { (name) throws(OptionValueError) in
                let parts = name.split(
                    separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                    throw OptionValueError(
                        to: String(name), "not a percentage, auto or CLASS.PROP")
                }
                return Enumeration.Property(className: String(parts[0]), name: String(parts[1]))
            }
    }
}

extension OptionForm where Value == String {
    /// A suffix of a file name.
    static var suffix: Self {
        Self(.text) { (text) throws(OptionValueError) in
            if text.isEmpty || text.contains("/") { throw OptionValueError(to: text, "no suffix") }
            return text
        }
    }
}
