import Foundation

/// Values of key-value access and of dictionaries, as properties want them.
enum Converted<Target> {
    /// Nil when `value` cannot be one.
    static func of(_ value: Any?) -> Target? {
        if let fit = value as? Target, !(value is NSNumber && Target.self == Any.self) {
            return fit
        }
        guard let value, !(value is NSNull) else {
            return (Target.self as? any AnyOptional.Type).flatMap { $0.nothing as? Target }
        }
        if let number = value as? NSNumber { return of(number: number) }
        if let text = value as? NSString { return (text as String) as? Target }
        return nil
    }

    /// The members of a sequence; nil when one does not fit, or it is none.
    static func all(_ value: Any) -> [Target]? {
        guard let sequence = value as? any Sequence else { return nil }
        var result: [Target] = []
        for element in sequence {
            guard let fit = of(element) else { return nil }
            result.append(fit)
        }
        return result
    }

    private static func of(number: NSNumber) -> Target? {
        func fit<T>(_ value: T?) -> Target? { value.flatMap { $0 as? Target } }
        return fit(number.boolValue as Bool?).flatMap { number.isBoolean ? $0 : nil }
            ?? fit(Int(exactly: number)) ?? fit(Int64(exactly: number))
            ?? fit(Int32(exactly: number)) ?? fit(Int16(exactly: number))
            ?? fit(Int8(exactly: number)) ?? fit(number.doubleValue as Double?)
            ?? fit(number.floatValue as Float?)
    }
}

extension NSNumber {
    /// Made of a boolean.
    var isBoolean: Bool { objCType.pointee == 0x63 || objCType.pointee == 0x42 }
}
