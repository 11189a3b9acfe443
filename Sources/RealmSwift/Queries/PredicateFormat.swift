import Foundation
import RealmEngine

/// A condition in the words of `NSPredicate`, as the engine's query language has it: places for
/// arguments are numbered, names that were given as arguments are put in.
struct PredicateFormat {
    private(set) var text = ""
    private(set) var arguments: [QueryArgument] = []
    private let given: [Any]
    private var next = 0

    init(_ format: String, _ args: [Any], _ managed: ManagedClass) {
        given = args
        var rest = Substring(format)
        var quote: Character?
        while let character = rest.popFirst() {
            if let open = quote {
                text.append(character)
                if character == "\\", let escaped = rest.popFirst() {
                    text.append(escaped)
                } else if character == open {
                    quote = nil
                }
            } else if character == "'" || character == "\"" {
                quote = character
                text.append(character)
            } else if character == "%" {
                addArgument(&rest, format)
            } else {
                text.append(character)
            }
        }
    }

    private mutating func addArgument(_ rest: inout Substring, _ format: String) {
        while let size = rest.first, "lqhz".contains(size) { rest.removeFirst() }
        guard let kind = rest.popFirst(), next < given.count else {
            throwRealmException("Insufficient arguments for the predicate '\(format)'")
        }
        let value = given[next]
        next += 1
        switch kind {
        case "K": text += "\(value)"
        case "@", "d", "D", "i", "u", "U", "f", "g", "e", "x", "X":
            text += "$\(arguments.count)"
            arguments.append(Self.argument(value))
        default: throwRealmException("Unsupported predicate format character '%\(kind)'")
        }
    }

    static func argument(_ any: Any) -> QueryArgument {
        guard let value = unwrapped(any), !(value is NSNull) else { return .null }
        switch value {
        case let value as Bool where type(of: value) == Bool.self: return .bool(value)
        case let value as any BinaryInteger: return .int(Int64(truncatingIfNeeded: value))
        case let value as Float: return .float(value)
        case let value as Double: return .double(value)
        case let value as String: return .string(value)
        case let value as Data: return .binary([UInt8](value))
        case let value as Date: return .timestamp(Timestamp(value))
        case let value as UUID: return .uuid(value.stored)
        case let value as ObjectId: return .objectID(value.stored)
        case let value as Decimal128: return .decimal(value.stored)
        case let value as ObjectBase:
            guard let handle = value.handle else {
                throwRealmException("Object must be from the Realm being queried")
            }
            return .link(handle.link)
        case let value as any PersistableEnum: return argument(value.rawValue)
        case let value as any CustomPersistable: return argument(value.persistableValue)
        case let value as any FailableCustomPersistable: return argument(value.persistableValue)
        case let value as any Sequence: return .list(value.map { argument($0) })
        default: throwRealmException("Invalid value '\(value)' in a predicate")
        }
    }
}
