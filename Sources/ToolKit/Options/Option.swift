/// An option without the type of its value, as tables store it.
package protocol OptionDeclaration: Sendable {
    var spec: OptionSpec { get }
}

/// Other options. A closure, because two options may refer to each other.
package typealias Options = @Sendable () -> [any OptionDeclaration]

/// The argument of an option: its name in the help text, and its form.
package struct OptionArgument<Value: Sendable>: Sendable {
    let shape: ArgumentShape
    let form: OptionForm<Value>
    /// Value of an option without its argument; nil if the argument is required.
    let bare: Value?

    /// A required argument: `--option VALUE`, `--option=VALUE`.
    package static func required(_ metavar: String, _ form: OptionForm<Value>) -> Self {
        Self(shape: .required(metavar, form.kind), form: form, bare: nil)
    }

    /// An optional argument: `--option` or `--option=VALUE`, `-o` or `-o=VALUE`, never the next
    /// word.
    ///
    /// - Parameter bare: value if the argument is left out.
    package static func optional(
        _ metavar: String, _ form: OptionForm<Value>, bare: Value
    ) -> Self {
        Self(shape: .optional(metavar, form.kind), form: form, bare: bare)
    }

    /// Value of an occurrence, whose text the parser has already checked.
    func value(_ text: String?) -> Value? {
        guard let text else { return bare }
        return try? form.parse(text)
    }

    func check(_ text: String) throws(OptionValueError) { _ = try form.parse(text) }
}

/// Declaration of an option, which is also the key to its value: `command[option]`.
///
/// Contains the spelling, the type and form of the value, the default, the options that it excludes
/// or needs, and the help text.
package struct Option<Value: Sendable>: OptionDeclaration {
    package private(set) var spec: OptionSpec
    /// Computes the value from the arguments of all occurrences, in order.
    let value: @Sendable ([String?]) -> Value

    /// Spelling on the command line.
    package var spelling: String { spec.spelling }

    /// Returns this option with the descriptions and conditions of one tool.
    package func saying(
        in section: OptionSection? = nil, _ summary: String, _ details: String,
        defaultText: String? = nil, excludes: @autoclosure @escaping Options = [],
        needs: @autoclosure @escaping Options = [], uses: Uses = .all
    ) -> Self {
        var copy = self
        copy.spec.section = section ?? spec.section
        copy.spec.summary = summary
        copy.spec.details = details
        copy.spec.defaultText = defaultText ?? spec.defaultText
        copy.spec.add(excludes: excludes, needs: needs, uses)
        return copy
    }

    /// Returns this option, restricted to these uses of a tool.
    package func meant(for uses: Uses) -> Self {
        var copy = self
        copy.spec.uses = uses
        return copy
    }
}

extension Option where Value == Bool {
    /// Makes a flag.
    package init(
        _ long: String?, _ short: Character? = nil, in section: OptionSection,
        _ summary: String, _ details: String, excludes: @autoclosure @escaping Options = [],
        needs: @autoclosure @escaping Options = [], uses: Uses = .all, endsParsing: Bool = false
    ) {
        spec = OptionSpec(long, short, .none, in: section, summary, details)
        spec.add(excludes: excludes, needs: needs, uses)
        spec.endsParsing = endsParsing
        value = { !$0.isEmpty }
    }
}

extension Option where Value == Int {
    /// Makes an option whose value is its number of occurrences.
    package init(
        counted long: String, _ short: Character? = nil, in section: OptionSection,
        _ summary: String, _ details: String
    ) {
        spec = OptionSpec(long, short, .none, in: section, summary, details)
        spec.isRepeatable = true
        value = { $0.count }
    }
}

extension Option {
    /// Makes an option with an optional value: nil if not given; the last occurrence wins.
    ///
    /// - Parameter defaultText: behaviour without the option, for the help text; nil if it is
    ///   obvious.
    package init<T>(
        _ long: String, _ short: Character? = nil, _ argument: OptionArgument<T>,
        in section: OptionSection, _ summary: String, _ details: String,
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

    /// Makes an option with the value `default` if not given; the last occurrence wins.
    ///
    /// - Parameter defaultText: description of the default for the help text; nil for its text by
    ///   the form.
    package init(
        _ long: String, _ short: Character? = nil, _ argument: OptionArgument<Value>,
        in section: OptionSection, _ summary: String, _ details: String,
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

    /// Makes an option whose value is the array of the values of all occurrences, in order.
    package init<T>(
        _ long: String, _ short: Character? = nil, each argument: OptionArgument<T>,
        in section: OptionSection, _ summary: String, _ details: String,
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
