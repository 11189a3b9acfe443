/// What can be said of an option without the type of its value: the table's view of it.
package protocol OptionDeclaration: Sendable {
    var spec: OptionSpec { get }
}

/// Other options, looked at when all are there: two of them may name each other.
package typealias Options = @Sendable () -> [any OptionDeclaration]

/// The argument of an option: what help calls it, and its form.
package struct OptionArgument<Value: Sendable>: Sendable {
    let shape: ArgumentShape
    let form: OptionForm<Value>
    /// The value of an option whose argument is left out.
    let bare: Value?

    /// `--option VALUE`, `--option=VALUE`.
    package static func required(_ metavar: String, _ form: OptionForm<Value>) -> Self {
        Self(shape: .required(metavar, form.kind), form: form, bare: nil)
    }

    /// `--option` or `--option=VALUE`, `-o` or `-o=VALUE`, never the next word.
    ///
    /// - Parameter bare: the value without an argument.
    package static func optional(
        _ metavar: String, _ form: OptionForm<Value>, bare: Value
    ) -> Self {
        Self(shape: .optional(metavar, form.kind), form: form, bare: bare)
    }

    /// The value of an occurrence; the parser has checked its text.
    func value(_ text: String?) -> Value? {
        guard let text else { return bare }
        return try? form.parse(text)
    }

    func check(_ text: String) throws(Objection) { _ = try form.parse(text) }
}

/// An option, and the key to what a command line says about it.
///
/// One declaration carries everything: its spelling, the type and the form of its value, the default,
/// what goes with it and what does not, and the words of help. `command[option]` is the value.
package struct Option<Value: Sendable>: OptionDeclaration {
    package private(set) var spec: OptionSpec
    /// The value by the arguments of all occurrences, in order.
    let value: @Sendable ([String?]) -> Value

    /// As a person writes it.
    package var spelling: String { spec.spelling }

    /// The same key in the words of one tool.
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

    /// The same in these uses of a tool only.
    package func meant(for uses: Uses) -> Self {
        var copy = self
        copy.spec.uses = uses
        return copy
    }
}

extension Option where Value == Bool {
    /// An option that is given or not.
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
    /// An option whose occurrences count.
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
    /// An option with a value that is nil if it is not given; the last occurrence counts.
    ///
    /// - Parameter defaultText: what holds without it, when that needs saying.
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

    /// An option with a value that is `default` if it is not given; the last occurrence counts.
    ///
    /// - Parameter defaultText: what to say of the default where its own text says too little.
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

    /// An option of which every occurrence counts, in order.
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
