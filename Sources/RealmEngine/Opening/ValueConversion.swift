/// Rule for values that the new type of a property cannot represent: the value that is stored in
/// their place.
package enum MisfitRule: String, CaseIterable, Sendable {
    /// No value is stored: the change of the type is refused.
    case refuse
    /// A value that cannot be converted becomes null if the property is optional, otherwise zero,
    /// false or an empty value.
    case null
    /// A value that cannot be converted becomes zero, false or an empty value, even if the property
    /// is optional.
    case `default`
    /// Drops an element of a list or set that cannot be converted. A single value that cannot be
    /// converted becomes null if the property is optional, otherwise zero, false or an empty value.
    case skip
}

/// Conversion of values to another type. A number becomes the same number, a text becomes the value
/// that it spells, and any value can become its text. Texts have the form in which the tools print
/// values.
struct ValueConversion: ~Copyable {
    enum Outcome {
        case exact(Value)
        /// The value has no exact equal in the new type; this is the nearest value that the type
        /// has.
        case rounded(Value)
        case misfit
    }

    private let type: ColumnType
    /// Table of the target class, for a conversion to links.
    private let target: TableKey
    private var text = ByteBuffer(capacity: 64)

    init(to type: ColumnType, target: TableKey) { (self.type, self.target) = (type, target) }

    /// Converts a single value other than null. A text in the result is valid until the next call.
    /// If the text is unchanged, it is valid as long as the text of `value`.
    mutating func convert(_ value: Value) -> Outcome {
        switch (value, type) {
        case (.null, _), (.list, _), (.set, _), (.dictionary, _): .misfit
        case (_, .mixed): .exact(value)
        case (_, .string): string(value)
        case (.string(let text), _): Self.parsed(text, type)
        case (_, .int): Self.integer(value)
        case (_, .double): Self.double(value)
        case (_, .float): Self.float(value)
        case (_, .decimal): decimal(value)
        case (.bool, .bool), (.timestamp, .timestamp), (.binary, .binary), (.objectID, .objectID),
            (.uuid, .uuid):
            .exact(value)
        case (.int(let number), .bool): number & ~1 == 0 ? .exact(.bool(number == 1)) : .misfit
        case (.int(let seconds), .timestamp):
            .exact(.timestamp(Timestamp(seconds: seconds, nanoseconds: 0)))
        case (.link(let link), .link): link.table == target ? .exact(value) : .misfit
        default: .misfit
        }
    }

    // MARK: Numbers

    private static func integer(_ value: Value) -> Outcome {
        switch value {
        case .int: return .exact(value)
        case .bool(let truth): return .exact(.int(truth ? 1 : 0))
        case .float(let x): return Int64(exactly: x).map { .exact(.int($0)) } ?? .misfit
        case .double(let x): return Int64(exactly: x).map { .exact(.int($0)) } ?? .misfit
        case .decimal(let x): return x.exactInt64.map { .exact(.int($0)) } ?? .misfit
        case .timestamp(let time):
            return time.nanoseconds == 0 ? .exact(.int(time.seconds)) : .misfit
        default: return .misfit
        }
    }

    private static func double(_ value: Value) -> Outcome {
        switch value {
        case .double: return .exact(value)
        case .float(let x): return .exact(.double(Double(x)))
        case .int(let number):
            return Double(exactly: number).map { .exact(.double($0)) }
                ?? .rounded(.double(Double(number)))
        case .decimal(let x):
            let nearest = x.isNaN ? Double.nan : x.doubleValue
            // A finite number beyond the range of a double does not fit.
            if x.isFinite, nearest.isInfinite { return .misfit }
            let isSame = x.isNaN || ValueRules.compare(value, .double(nearest)) == 0
            return isSame ? .exact(.double(nearest)) : .rounded(.double(nearest))
        default: return .misfit
        }
    }

    /// Converts a number to a float. A finite number beyond the range of `float` is a misfit.
    private static func float(_ value: Value) -> Outcome {
        let wide: Double
        var isExact = true
        switch double(value) {
        case .exact(.double(let x)): wide = x
        case .rounded(.double(let x)): (wide, isExact) = (x, false)
        default: return .misfit
        }
        let narrow = Float(wide)
        if wide.isNaN { return .exact(.float(narrow)) }
        if wide.isFinite, !narrow.isFinite { return .misfit }
        return isExact && Double(narrow) == wide ? .exact(.float(narrow)) : .rounded(.float(narrow))
    }

    /// Converts a number to a decimal. For a double, this is the shortest decimal number that is
    /// read as the same double.
    private mutating func decimal(_ value: Value) -> Outcome {
        switch value {
        case .decimal: return .exact(value)
        case .int, .float, .double:
            text.removeAll()
            appendText(of: value)
            return Decimal128(text: textView).map { .exact(.decimal($0)) } ?? .misfit
        default: return .misfit
        }
    }

    // MARK: Texts

    private mutating func string(_ value: Value) -> Outcome {
        switch value {
        case .string: return .exact(value)
        case .binary(let bytes):
            return String(validating: bytes.buffer, as: UTF8.self) == nil
                ? .misfit : .exact(.string(bytes))
        case .link: return .misfit
        default:
            text.removeAll()
            appendText(of: value)
            return .exact(.string(textView))
        }
    }

    private var textView: ByteView { ByteView(text.bytes.baseAddress!, count: text.count) }

    private mutating func appendText(of value: Value) {
        switch value {
        case .int(let number): text.append(number: number)
        case .bool(let truth): text.append(truth)
        case .float(let x): text.append(number: x)
        case .double(let x): text.append(number: x)
        case .decimal(let x): text.append(number: x)
        case .timestamp(let time): text.append(rfc3339: time)
        case .objectID(let id): text.append(id)
        case .uuid(let id): text.append(id)
        default: break
        }
    }

    private static func parsed(_ text: ByteView, _ type: ColumnType) -> Outcome {
        // A string and a binary of the same bytes are converted to each other.
        if type == .binary { return .exact(.binary(text)) }
        guard let value = Value.parsed(text, as: type), !value.isOverflow(of: text) else {
            return .misfit
        }
        return .exact(value)
    }
}

extension TypeChange {
    /// The result of a conversion: the value of the new property, or its elements.
    enum Result {
        case single(Value)
        case elements([Value])
    }

    /// Numbers of values that were rounded, and of values that could not be converted.
    package struct Losses {
        package internal(set) var rounded = 0
        package internal(set) var misfits = 0
    }
}

/// Conversion of the values of one property to another type, with counts of the values that were
/// rounded or lost.
struct TypeChange: ~Copyable {
    let new: PropertyDescription
    private let rule: MisfitRule
    private let zero: Value
    private var conversion: ValueConversion
    private(set) var losses = Losses()

    /// - Parameter target: table of the target class if `new` is a link.
    init(to new: PropertyDescription, target: TableKey, _ rule: MisfitRule) {
        self.new = new
        self.rule = rule
        zero = Defaults.zero(new.type)
        conversion = ValueConversion(to: new.type, target: target)
    }

    /// Converts a single value or null to the value of the new property.
    ///
    /// - Parameter keep: copies a value that is only valid during the call.
    mutating func result(of value: Value, keep: (Value) -> Value) -> Result {
        if new.collection == nil { return .single(keep(single(value))) }
        if case .null = value { return .elements([]) }
        return .elements(element(value).map { [keep($0)] } ?? [])
    }

    /// Converts the elements of a list or set to the value of the new property.
    mutating func result(of elements: [Value], keep: (Value) -> Value) -> Result {
        if new.collection == nil {
            guard elements.count < 2 else { return .single(misfit()) }
            return .single(keep(single(elements.first ?? .null)))
        }
        return .elements(elements.compactMap { element($0).map(keep) })
    }

    private mutating func single(_ value: Value) -> Value {
        if case .null = value { return mayBeNull ? .null : lost(zero) }
        return converted(value) ?? misfit()
    }

    private mutating func element(_ value: Value) -> Value? {
        if case .null = value {
            return mayBeNull ? .null : rule == .skip ? lost(nil) : lost(zero)
        }
        return converted(value) ?? (rule == .skip ? lost(nil) : misfit())
    }

    private mutating func converted(_ value: Value) -> Value? {
        switch conversion.convert(value) {
        case .exact(let value): return value
        case .rounded(let value):
            losses.rounded += 1
            return value
        case .misfit: return nil
        }
    }

    private mutating func misfit() -> Value {
        lost(mayBeNull && rule != .default ? .null : zero)
    }

    private mutating func lost<V>(_ value: V) -> V {
        losses.misfits += 1
        return value
    }

    private var mayBeNull: Bool {
        switch new.type {
        case .mixed: true
        case .link: new.collection == nil
        default: new.isOptional
        }
    }
}
