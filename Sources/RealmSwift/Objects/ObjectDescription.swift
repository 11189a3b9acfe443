import Foundation

/// Converts objects and collections to text in the format of the SDK, with up to `deepest` levels
/// of linked objects.
enum ObjectDescription {
    static let deepest = 5
    /// Maximum number of elements of a collection in its text.
    private static let most = 100

    static func text(_ object: ObjectBase, depth: Int = deepest) -> String {
        if depth == 0 { return tooDeep }
        if object.isInvalidated { return "[invalid object]" }
        let values = (object as? DynamicObject)?.properties ?? properties(of: object)
        let lines = values.map { name, value in
            "\t\(name) = \(indented(text(value, depth: depth - 1)));\n"
        }
        let name =
            (object as? DynamicObject)?.storedName ?? ClassModel.of(type(of: object)).swiftName
        return "\(name) {\n\(lines.joined())}"
    }

    private static let tooDeep = "<Maximum depth exceeded>"

    private static func properties(of object: ObjectBase) -> [(name: String, value: Any?)] {
        ClassModel.of(type(of: object)).fields.filter { !$0.isLinkingObjects }.map {
            ($0.name, $0.wrapper.any(at: object.place(of: $0), object))
        }
    }

    /// Returns the text of a list or set.
    ///
    /// - Parameter place: the object whose address is written after the name; nil writes 0.
    static func list<Elements: Collection>(
        _ elements: Elements, as name: String, at place: AnyObject?, depth: Int = deepest
    ) -> String {
        if depth == 0 { return tooDeep }
        var lines = elements.prefix(most).enumerated().map { index, element in
            "\t[\(index)] \(indented(text(element, depth: depth - 1)))"
        }
        if elements.count > most { lines.append(skipped(elements.count)) }
        return block(name, place, lines)
    }

    static func map(
        _ entries: [(key: String, value: Any)], as name: String, at place: AnyObject,
        depth: Int = deepest
    ) -> String {
        if depth == 0 { return tooDeep }
        var lines = entries.prefix(most).map {
            "[\($0.key)]: \(indented(text($0.value, depth: depth - 1)))"
        }
        if entries.count > most { lines.append(skipped(entries.count)) }
        return block(name, place, lines)
    }

    private static func skipped(_ count: Int) -> String { "\t... \(count - most) objects skipped." }

    private static func block(_ name: String, _ place: AnyObject?, _ lines: [String]) -> String {
        let address = place.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
        return "\(name) <0x\(String(address, radix: 16))> (\n\(lines.joined(separator: ",\n"))\n)"
    }

    private static func indented(_ text: String) -> String {
        text.replacingOccurrences(of: "\n", with: "\n\t")
    }

    private static func text(_ value: Any?, depth: Int) -> String {
        switch value.flatMap({ plain($0) }) {
        case nil: "(null)"
        case let object as ObjectBase: text(object, depth: depth)
        case let collection as any DescribedInDepth: collection.text(depth: depth)
        case let flag as Bool: flag ? "1" : "0"
        case let number as NSNumber where !(number is Bool): digits(number)
        case let data as Data: "<\(data.map { String(format: "%02x", $0) }.joined())>"
        case let other?: "\(other)"
        }
    }

    /// Formats a number with as many digits as its type can distinguish.
    private static func digits(_ number: NSNumber) -> String {
        switch number.objCType.pointee {
        case 0x66: String(format: "%0.7g", number.doubleValue)
        case 0x64: String(format: "%0.16g", number.doubleValue)
        default: number.stringValue
        }
    }

    /// Returns the name of a value's type, for the message that a property cannot have the value.
    /// If the value is an object of another class with the same short name, returns the full names
    /// of both classes.
    static func typeName(of value: Any?, notOf target: ObjectBase.Type?) -> String {
        let type = Swift.type(of: value ?? NSNull())
        guard let target, type != target, "\(type)" == "\(target)" else { return "'\(type)'" }
        return "'\(String(reflecting: type))', not '\(String(reflecting: target))',"
    }

    /// Returns the name of an element type for descriptions of collections.
    static func name(of element: Any.Type) -> String {
        guard let shape = (element as? any _RealmSchemaDiscoverable.Type)?._rlmShape else {
            return "\(element)"
        }
        if let target = shape.target { return ClassModel.of(target).swiftName }
        return switch shape.type {
        case .any: "mixed"
        case .objectId: "object id"
        case .UUID: "uuid"
        case .linkingObjects: "linking objects"
        default: "\(shape.type)"
        }
    }
}

/// A list, set or map, as text with a limited number of levels.
protocol DescribedInDepth {
    /// Returns the collection as text.
    ///
    /// - Parameter depth: maximum number of levels of objects and collections in the text.
    func text(depth: Int) -> String
}

/// Converts a value to the Swift or Foundation type that is stored for it; nil for null. Numbers
/// become `NSNumber`, which can be cast to every number type that can represent the value.
func plain(_ value: Any) -> Any? {
    switch unwrapped(value) {
    case nil: nil
    case let mixed as AnyRealmValue: mixed.content
    case let member as any (RealmEnum & RawRepresentable): raw(member)
    case let custom as any CustomPersistable: persisted(custom)
    case let custom as any FailableCustomPersistable: persisted(custom)
    case let number as any FixedWidthInteger: NSNumber(value: Int64(truncatingIfNeeded: number))
    case let number as Float: NSNumber(value: number)
    case let number as Double: NSNumber(value: number)
    case let other: other
    }
}

private func raw<E: RawRepresentable>(_ member: E) -> Any { member.rawValue }
private func persisted<C: CustomPersistable>(_ value: C) -> Any? { plain(value.persistableValue) }
private func persisted<C: FailableCustomPersistable>(_ value: C) -> Any? {
    plain(value.persistableValue)
}
