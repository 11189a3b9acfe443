/// An option, not generic in the type of its value. Tables of options contain such declarations.
package protocol OptionDeclaration: Sendable {
    var spec: OptionSpec { get }
}

/// Other options that an option excludes or needs. A closure, because two options may refer to each
/// other.
package typealias Options = @Sendable () -> [any OptionDeclaration]

/// Text for the help. A closure, because most runs do not need it.
package typealias OptionText = @Sendable () -> String

/// The argument of an option: its name in the help text, and its form.
package struct OptionArgument<Value: Sendable>: Sendable {
    let shape: ArgumentShape
    let form: OptionForm<Value>
    /// Value of the option if it is given without its argument; nil if the argument is required.
    let bare: Value?

    /// A required argument: `--option VALUE`, `--option=VALUE`.
    package static func required(_ metavar: String, _ form: OptionForm<Value>) -> Self {
        Self(shape: .required(metavar, form.kind), form: form, bare: nil)
    }

    /// An optional argument: `--option` or `--option=VALUE`, `-o` or `-o=VALUE`. It is never the
    /// next word.
    ///
    /// - Parameter bare: value of the option without the argument.
    package static func optional(
        _ metavar: String, _ form: OptionForm<Value>, bare: Value
    ) -> Self {
        Self(shape: .optional(metavar, form.kind), form: form, bare: bare)
    }

    /// Returns the value for an occurrence of the option. The parser has already checked the text.
    func value(_ text: String?) -> Value? {
        guard let text else { return bare }
        return try? form.parse(text)
    }

    func check(_ text: String) throws(OptionValueError) { _ = try form.parse(text) }
}

/// Declaration of an option. It is also the key with which the value is read: `command[option]`.
///
/// Contains the spelling, the type and parser of the value, the default, the options that it
/// excludes or needs, and the help text.
package struct Option<Value: Sendable>: OptionDeclaration {
    package private(set) var spec: OptionSpec
    /// Computes the value from the arguments of all occurrences, in the order of the command line.
    let value: @Sendable ([String?]) -> Value

    /// Spelling on the command line.
    package var spelling: String { spec.spelling }

    /// Returns this option with another description, and with other options that it excludes or
    /// needs, for one tool.
    package func saying(
        in section: OptionSection? = nil, _ summary: @autoclosure @escaping OptionText,
        _ details: @autoclosure @escaping OptionText,
        defaultText: String? = nil, excludes: @autoclosure @escaping Options = [],
        needs: @autoclosure @escaping Options = [], uses: Uses = .all
    ) -> Self {
        var copy = self
        copy.spec.section = section ?? spec.section
        copy.spec.brief = summary
        copy.spec.text = details
        copy.spec.defaultText = defaultText ?? spec.defaultText
        copy.spec.add(excludes: excludes, needs: needs, uses)
        return copy
    }

    /// Returns this option, permitted only in some ways of using the tool, such as queries.
    package func meant(for uses: Uses) -> Self {
        var copy = self
        copy.spec.uses = uses
        return copy
    }
}

extension Option where Value == Bool {
    /// Creates an option without an argument.
    package init(
        _ long: String?, _ short: Character? = nil, in section: OptionSection,
        _ summary: @autoclosure @escaping OptionText, _ details: @autoclosure @escaping OptionText,
        excludes: @autoclosure @escaping Options = [],
        needs: @autoclosure @escaping Options = [], uses: Uses = .all, endsParsing: Bool = false
    ) {
        spec = OptionSpec(long, short, .none, in: section, summary, details)
        spec.add(excludes: excludes, needs: needs, uses)
        spec.endsParsing = endsParsing
        value = { !$0.isEmpty }
    }
}

extension Option where Value == Int {
    /// Creates an option whose value is the number of its occurrences.
    package init(
        counted long: String, _ short: Character? = nil, in section: OptionSection,
        _ summary: @autoclosure @escaping OptionText, _ details: @autoclosure @escaping OptionText
    ) {
        spec = OptionSpec(long, short, .none, in: section, summary, details)
        spec.isRepeatable = true
        value = { $0.count }
    }
}

extension Option {
    /// Creates an option with an optional value: nil if the option is not given. The last
    /// occurrence determines the value.
    ///
    /// - Parameter defaultText: behaviour without the option, for the help text; nil if it is
    ///   obvious.
    package init<T>(
        _ long: String, _ short: Character? = nil, _ argument: OptionArgument<T>,
        in section: OptionSection, _ summary: @autoclosure @escaping OptionText,
        _ details: @autoclosure @escaping OptionText,
        defaultText: String? = nil, excludes: @autoclosure @escaping Options = [],
        needs: @autoclosure @escaping Options = [], uses: Uses = .all, aliases: [String] = []
    ) where Value == T? {
        spec = OptionSpec(long, short, argument.shape, in: section, summary, details)
        spec.defaultText = defaultText
        spec.check = argument.check
        spec.aliases = aliases
        spec.add(excludes: excludes, needs: needs, uses)
        value = { $0.last.flatMap(argument.value) }
    }

    /// Creates an option with a default value. The last occurrence determines the value.
    ///
    /// - Parameter defaultText: description of the default for the help text; nil to show the value
    ///   itself.
    package init(
        _ long: String, _ short: Character? = nil, _ argument: OptionArgument<Value>,
        in section: OptionSection, _ summary: @autoclosure @escaping OptionText,
        _ details: @autoclosure @escaping OptionText,
        default fallback: Value, defaultText: String? = nil,
        excludes: @autoclosure @escaping Options = [], needs: @autoclosure @escaping Options = [],
        uses: Uses = .all, aliases: [String] = []
    ) {
        spec = OptionSpec(long, short, argument.shape, in: section, summary, details)
        spec.defaultText = defaultText ?? argument.form.show(fallback)
        spec.check = argument.check
        spec.aliases = aliases
        spec.add(excludes: excludes, needs: needs, uses)
        value = { $0.last.flatMap(argument.value) ?? fallback }
    }

    /// Creates an option whose value is an array with the values of all occurrences, in order.
    package init<T>(
        _ long: String, _ short: Character? = nil, each argument: OptionArgument<T>,
        in section: OptionSection, _ summary: @autoclosure @escaping OptionText,
        _ details: @autoclosure @escaping OptionText,
        excludes: @autoclosure @escaping Options = [], needs: @autoclosure @escaping Options = [],
        uses: Uses = .all, aliases: [String] = []
    ) where Value == [T] {
        spec = OptionSpec(long, short, argument.shape, in: section, summary, details)
        spec.isRepeatable = true
        spec.check = argument.check
        spec.aliases = aliases
        spec.add(excludes: excludes, needs: needs, uses)
        value = { $0.compactMap(argument.value) }
    }
}
