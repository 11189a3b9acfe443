import Foundation
import RealmEngine

/// A condition in the words of `NSPredicate`, put into those of the engine's query language: places for
/// arguments are numbered, names that were given as arguments are put in.
struct PredicateFormat {
    var text = ""
    private(set) var arguments: [QueryArgument] = []
    private let format: String
    private let given: [Any]
    let managed: ManagedClass
    private var next = 0
    /// Objects of collections that were compared member by member.
    var variables = 0
    private var rest: PredicateWords

    init(_ format: String, _ args: [Any], _ managed: ManagedClass) {
        (self.format, given, self.managed) = (format, args, managed)
        rest = PredicateWords(format)
        while let word = rest.next() { add(word) }
    }

    func query(_ managed: ManagedClass) throws(RealmError) -> RealmEngine.Query {
        try RealmEngine.Query(predicate: text, arguments: arguments, aliases: managed.aliases)
    }

    private mutating func add(_ word: PredicateWords.Word) {
        switch word {
        case .argument(let kind): addArgument(kind)
        case .name(let name): addName(name)
        case .symbol(let symbol): text += Self.symbols[symbol] ?? symbol
        case .options(let letters): addOptions(letters)
        case .other(let other): text += other
        }
    }

    private static let symbols = ["=<": "<=", "=>": ">=", "<>": "!="]

    /// Other spellings of words, where they are no part of a path.
    private static let words = [
        "IN": "IN", "NOT": "NOT", "ANY": "ANY", "SOME": "ANY", "NONE": "NONE",
        "TRUE": "TRUE", "FALSE": "FALSE", "YES": "TRUE", "NO": "FALSE",
    ]

    private mutating func addName(_ name: String) {
        let upper = name.uppercased()
        if name == "#any", text.hasSuffix("[") {
            text += "*"
        } else if name.hasPrefix("#") {
            // A property that is called like a word of predicates.
            text += QueryName.spelled(String(name.dropFirst()))
        } else if text.hasSuffix("."), !name.hasPrefix("@") {
            text += QueryName.spelled(name)
        } else if upper == "BETWEEN", let kind = rest.argument() {
            addRange(kind)
        } else if upper == "IN", let kind = rest.argument() {
            addMembership(kind)
        } else if upper == "ALL", !text.hasSuffix("."), rest.character != "." {
            throwRealmException("ALL modifier not supported")
        } else if let word = Self.words[upper], !text.hasSuffix("."), rest.character != "." {
            text += word
        } else if upper == "SELF", managed.model.type == LocalValue.self {
            text += "value"
        } else if upper == "MATCHES" {
            throwRealmException("Operator 'MATCHES' not supported for string queries")
        } else {
            if Self.functions.contains(name) { checkReduced(name) }
            text += isReservedProperty(name, upper) ? QueryName.spelled(name) : Self.function(name)
        }
    }

    private static func function(_ name: String) -> String {
        name == "@allKeys" ? "@keys" : name == "@allValues" ? "@values" : name
    }

    /// Whether the class has a property of a name that means something to the query language alone.
    private func isReservedProperty(_ name: String, _ upper: String) -> Bool {
        !QueryName.isPlain(name) && !QueryText.reserved.contains(upper) && rest.character != "("
            && (managed.model.field(named: name) != nil
                || managed.objects.property(named: name) != nil)
    }

    /// A path that is given as an argument.
    private func spelled(_ path: String) -> String {
        let names =
            text.hasSuffix(".")
            ? path.split(separator: ".").map(String.init) : managed.model.names(along: path)
        return names.map { $0.hasPrefix("@") ? Self.function($0) : QueryName.spelled($0) }
            .joined(separator: ".")
    }

    private static let functions: Set<String> = ["@min", "@max", "@sum", "@avg"]

    /// Traps where a collection is asked for, and a single value is.
    private mutating func checkReduced(_ function: String) {
        let path = PredicatePath(endOf: text, managed.model)
        guard let (owner, field) = path.single else { return }
        throwRealmException(
            "Invalid keypath '\(path.text)\(function)': Property '\(owner.name).\(field.name)' is not a "
                + "link or collection and can only appear at the end of a keypath.")
    }

    /// `[c]`, `[d]` or both.
    private mutating func addOptions(_ letters: String) {
        let known = letters.filter { $0 == "c" || $0 == "d" }
        if !known.isEmpty { text += "[\(known)]" }
    }

    // MARK: Arguments

    private mutating func taken() -> Any {
        guard next < given.count else {
            throwRealmException("Insufficient arguments for the predicate '\(format)'")
        }
        next += 1
        return given[next - 1]
    }

    mutating func put(_ value: QueryArgument) {
        text += "$\(arguments.count)"
        arguments.append(value)
    }

    private mutating func addArgument(_ kind: Character) {
        let value = taken()
        switch kind {
        case "K":
            let isAny = "\(value)" == "#any" && text.hasSuffix("[")
            text += isAny ? "*" : spelled("\(value)")
        case "@" where addMembers(of: value): return
        case "@", "d", "D", "i", "u", "U", "f", "g", "e", "x", "X": put(argument(value))
        default: throwRealmException("Unsupported predicate format character '%\(kind)'")
        }
    }

    private mutating func addRange(_ kind: Character) {
        guard case .list(let limits) = argument(taken()), limits.count == 2 else {
            throwRealmException(
                "NSArray with exactly two objects expected for BETWEEN operations")
        }
        text += "BETWEEN {"
        put(limits[0])
        text += ", "
        put(limits[1])
        text += "}"
    }

    private mutating func addMembership(_ kind: Character) {
        let value = taken()
        if kind == "K" {
            text += "IN " + spelled("\(value)")
        } else if let shape = value as? any RLMGeospatial {
            text += "GEOWITHIN "
            put(.geo(shape.shape))
        } else {
            text += "IN "
            put(argument(value))
        }
    }

    func argument(_ any: Any) -> QueryArgument {
        guard let value = unwrapped(any), !(value is NSNull) else { return .null }
        switch value {
        case let value as ObjectBase: return link(value)
        case let value as AnyRealmValue: return argument(value.content as Any)
        case let value as any PersistableEnum: return argument(value.rawValue)
        case let value as any CustomPersistable: return argument(value.persistableValue)
        case let value as any FailableCustomPersistable: return argument(value.persistableValue)
        case let shape as any RLMGeospatial: return .geo(shape.shape)
        default: break
        }
        if let plain = QueryArgument(plain: value) { return plain }
        guard let members = value as? any Sequence else {
            throwRealmException("Invalid value '\(value)' in a predicate")
        }
        return .list(members.map { argument($0) })
    }

    /// An object that is in no realm is equal to none.
    private func link(_ object: ObjectBase) -> QueryArgument {
        if let realm = object.keeper, let handle = object.handle {
            if realm.engine.database !== managed.realm.engine.database {
                throwRealmException("Object must be from the Realm being queried")
            }
            return .link(handle.link)
        }
        let type = managed.realm.requireClass(type(of: object))
        return .link(ObjectLink(table: type.objects.key, key: .none))
    }
}

extension QueryArgument {
    /// A value of Swift or Foundation that a column may have; nil for any other.
    init?(plain given: Any) {
        // Numbers of Foundation can be cast to every type of number they fit.
        let type = type(of: given)
        switch given {
        case let value as Bool where type == Bool.self: self = .bool(value)
        case let value as any BinaryInteger: self = .int(Int64(truncatingIfNeeded: value))
        case let value as Float where type == Float.self: self = .float(value)
        case let value as Double where type == Double.self: self = .double(value)
        case let value as NSNumber: self.init(number: value)
        case let value as String: self = .string(value)
        case let value as Data: self = .binary([UInt8](value))
        case let value as Date: self = .timestamp(Timestamp(value))
        case let value as UUID: self = .uuid(value.stored)
        case let value as ObjectId: self = .objectID(value.stored)
        case let value as Decimal128: self = .decimal(value.stored)
        default: return nil
        }
    }

    private init(number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case _ where number.isBoolean: self = .bool(number.boolValue)
        case UInt8(ascii: "B"): self = .bool(number.boolValue)
        case UInt8(ascii: "f"): self = .float(number.floatValue)
        case UInt8(ascii: "d"): self = .double(number.doubleValue)
        default: self = .int(number.int64Value)
        }
    }
}
