import RealmEngine

/// Error for an argument that is not valid. In messages it follows the option and a colon.
package struct OptionValueError: Error, Sendable {
    package let message: String
    let hint: String?
    /// A valid word that is similar to the argument; nil if there is none.
    let near: String?
    /// Machine-readable reason of the error.
    let reason: String

    package init(
        _ message: String, reason: String = "bad-value", hint: String? = nil, near: String? = nil
    ) {
        self.message = message
        self.reason = reason
        self.hint = hint
        self.near = near
    }

    /// Creates an error from the argument and a phrase: `'5x' is not a size`.
    package init(to text: String, _ phrase: String, hint: String? = nil, near: String? = nil) {
        self.init("'\(text)' is \(phrase)", hint: hint, near: near)
    }
}

/// Parser for the argument of an option, and the kind of text that the argument may have.
package struct OptionForm<Value: Sendable>: Sendable {
    let kind: ValueKind
    package let parse: @Sendable (String) throws(OptionValueError) -> Value
    /// Converts a value to its text, for defaults in the help text; nil for a value without text.
    let show: @Sendable (Value) -> String?

    package init(
        _ kind: ValueKind, show: @escaping @Sendable (Value) -> String? = { _ in nil },
        _ parse: @escaping @Sendable (String) throws(OptionValueError) -> Value
    ) {
        self.kind = kind
        self.parse = parse
        self.show = show
    }

    /// Returns this parser with an additional check of the value.
    package func limited(
        by check: @escaping @Sendable (Value) throws(OptionValueError) -> Void
    ) -> Self {
        let parse = parse
        return Self(kind, show: show) { (text) throws(OptionValueError) in
            let value = try parse(text)
            try check(value)
            return value
        }
    }

    /// Creates a parser whose error messages come from `kind`. `parse` must succeed for all texts
    /// that `kind` accepts.
    private init(
        _ kind: ValueKind, _ show: @escaping @Sendable (Value) -> String?,
        orNil parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(kind, show: show) { (text) throws(OptionValueError) in
            if let objection = kind.objection(to: text) { throw objection }
            return parse(text)!
        }
    }
}

extension OptionForm where Value == String {
    /// Any text. The tool interprets it.
    package static var text: Self { plain(.text) }
    package static var file: Self { plain(.file) }
    /// A key path. The tool interprets it.
    package static var property: Self { plain(.properties) }
    package static var directory: Self { plain(.directory) }

    private static func plain(_ kind: ValueKind) -> Self { Self(kind, { $0 }, orNil: { $0 }) }
}

extension OptionForm where Value == Int {
    /// A whole number in a range.
    package static func count(_ range: ClosedRange<Int>) -> Self {
        Self(.count(range), { String($0) }, orNil: { ValueForms.count($0) })
    }

    /// A number of bytes.
    package static var size: Self {
        Self(.size, ValueForms.text(size:), orNil: ValueForms.size)
    }
}

extension OptionForm where Value == UInt8 {
    /// A field separator: a character, or `tab`. Characters that occur in numbers, dates, ids or
    /// base64 are excluded.
    package static var delimiter: Self { Self(.suggestion([";", "tab", "|"]), show: name, byte) }

    private static func name(_ byte: UInt8) -> String? {
        byte == 9 ? "tab" : String(UnicodeScalar(byte))
    }

    private static func byte(_ text: String) throws(OptionValueError) -> UInt8 {
        if text == "tab" || text == "\\t" { return 9 }
        guard text.utf8.count == 1, let byte = text.utf8.first,
            "\t,;|^~!#&%@\u{1E}\u{1F}".utf8.contains(byte)
        else {
            throw OptionValueError(
                to: text, "not a character that can separate fields",
                hint: "one of , ; | tab ^ ~ ! # & % @")
        }
        return byte
    }
}

extension OptionForm where Value == Duration {
    package static var duration: Self {
        Self(.duration, ValueForms.text(duration:), orNil: ValueForms.duration)
    }
}

extension OptionForm where Value == WaitPolicy {
    /// The maximum duration of waiting.
    package static var maximumWait: Self {
        Self(.duration, { _ in nil }, orNil: { ValueForms.duration($0).map(WaitPolicy.atMost) })
    }
}

extension OptionForm where Value: RawRepresentable, Value.RawValue == String {
    /// One of the given words.
    package static func choice(_ values: [Value]) -> Self {
        // Closures, because each key path is an object that the start of a tool would make.
        Self(
            .choice(values.map { $0.rawValue }), { $0.rawValue },
            orNil: { Value(rawValue: $0) })
    }
}

extension OptionForm
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enumeration.
    package static var choice: Self { choice(Array(Value.allCases)) }
}

extension OptionForm where Value == VersionChoice {
    /// A version number, or `previous`.
    package static var version: Self {
        Self(.text) { (text) throws(OptionValueError) in
            if text == "previous" { return .previous }
            guard let number = ValueForms.count(text) else {
                throw OptionValueError(to: text, "not a version", hint: "a number, or previous")
            }
            return .number(UInt64(number))
        }
    }
}

extension OptionForm where Value == StreamPosition {
    /// A version, optionally with the identifier of the database it belongs to:
    /// `18237@4f2a90c1e7b3d5f6`.
    package static var streamPosition: Self {
        Self(.text) { (text) throws(OptionValueError) in
            if let position = StreamPosition(text: text) { return position }
            throw OptionValueError(
                to: text, "not a version",
                hint: "a number, or a value printed by realm-versions -g applied")
        }
    }
}
