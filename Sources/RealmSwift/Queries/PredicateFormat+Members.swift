import Foundation
import RealmEngine

/// Values that are compared piece by piece: lists and dictionaries that may hold anything, and types of
/// the program's own that stand for embedded objects.
extension PredicateFormat {
    /// Puts the comparison of what was written last with each piece of `value` in the place of it; false
    /// for a value that is compared as a whole.
    mutating func addMembers(of value: Any) -> Bool {
        let plain = unwrapped(value)
        if let mixed = plain as? AnyRealmValue, mixed.isCollection {
            guard let (path, isEqual) = takeOperand() else { return false }
            text += isEqual ? "" : "NOT "
            addPieces(of: mixed, path.text)
            return true
        }
        guard let object = Self.members(plain), let (path, isEqual) = takeOperand() else {
            return false
        }
        add(object, path, isEqual)
        return true
    }

    private static func members(_ value: Any?) -> ObjectBase? {
        switch value {
        case let value as any CustomPersistable: value.persistableValue as? EmbeddedObject
        case let value as any FailableCustomPersistable: value.persistableValue as? EmbeddedObject
        default: nil
        }
    }

    /// The path and the relation at the end of the text, which they are taken off.
    private mutating func takeOperand() -> (path: PredicatePath, isEqual: Bool)? {
        var rest = text[...]
        func trim() { while rest.last == " " { rest.removeLast() } }
        trim()
        guard let relation = ["==", "!=", "="].first(where: { rest.hasSuffix($0) }) else {
            return nil
        }
        rest.removeLast(relation.count)
        trim()
        let path = PredicatePath(endOf: rest, managed.model)
        if path.text.isEmpty { return nil }
        rest.removeLast(path.text.count)
        if rest.hasSuffix("ANY ") { rest.removeLast(4) }
        text = String(rest)
        return (path, relation != "!=")
    }

    // MARK: Lists and dictionaries

    private mutating func addPieces(of value: AnyRealmValue, _ path: String) {
        switch value {
        case .list(let list):
            text += "(\(path).@type == 'list' AND \(path).@size == \(list.count)"
            for (i, element) in list.enumerated() {
                text += " AND "
                addPieces(of: element, "\(path)[\(i)]")
            }
            text += ")"
        case .dictionary(let map):
            text += "(\(path).@type == 'dictionary' AND \(path).@size == \(map.count)"
            for (key, element) in map.asKeyValueSequence() {
                text += " AND "
                put(.string(key))
                let place = text.lastIndex(of: "$")!
                let name = String(text[place...])
                text.removeSubrange(place...)
                addPieces(of: element, "\(path)[\(name)]")
            }
            text += ")"
        default:
            text += "\(path) == "
            put(argument(value))
        }
    }

    // MARK: Embedded objects

    private mutating func add(_ object: ObjectBase, _ path: PredicatePath, _ isEqual: Bool) {
        guard let (collection, rest) = path.collection else {
            text += isEqual ? "" : "NOT "
            return addFields(of: object, path.text)
        }
        variables += 1
        let name = "$member\(variables)"
        text += "SUBQUERY(\(collection), \(name), " + (isEqual ? "" : "NOT ")
        addFields(of: object, rest.isEmpty ? name : "\(name).\(rest)")
        text += ").@count > 0"
    }

    private mutating func addFields(of object: ObjectBase, _ path: String) {
        let model = ClassModel.of(type(of: object))
        text += "("
        for (i, field) in model.fields.filter({ !$0.isLinkingObjects }).enumerated() {
            Self.check(field, of: model)
            text += i == 0 ? "\(path).\(field.name) == " : " AND \(path).\(field.name) == "
            put(argument(object.value(forKey: field.name) as Any))
        }
        text += ")"
    }

    private static func check(_ field: ClassModel.Field, of model: ClassModel) {
        let reason =
            field.shape.collection != nil
            ? "equality on collections is" : field.shape.target != nil ? "object links are" : nil
        if let reason {
            throwRealmException(
                "Unsupported property '\(model.name).\(field.name)' for memberwise equality query: "
                    + "\(reason) not implemented.")
        }
    }
}

extension AnyRealmValue {
    fileprivate var isCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }
}

/// A path that was written, by the names of classes.
struct PredicatePath {
    let text: String
    /// The properties along it, as far as they are known, with their classes.
    private var fields: [(owner: ClassModel, field: ClassModel.Field)] = []

    /// What is written at the end of `text`, from spaces or a parenthesis on.
    init(endOf text: some StringProtocol, _ model: ClassModel) {
        let path = text.reversed().prefix { !" ()".contains($0) }
        self.text = String(path.reversed())
        var owner: ClassModel? = model
        for name in self.text.split(separator: ".") {
            if name.hasPrefix("@") { continue }
            let name = name.filter { $0 != "`" }
            guard let now = owner, let field = now.field(named: name) else { break }
            fields.append((now, field))
            owner = field.shape.target.map { ClassModel.of($0) }
        }
    }

    /// The property at its end, when that is a single value.
    var single: (owner: ClassModel, field: ClassModel.Field)? {
        guard let last = fields.last, fields.count == text.split(separator: ".").count,
            last.field.shape.collection == nil, last.field.shape.target == nil
        else { return nil }
        return last
    }

    /// The path of the first collection it goes through, and the rest.
    var collection: (path: String, rest: String)? {
        guard let place = fields.firstIndex(where: { $0.field.shape.collection != nil }) else {
            return nil
        }
        let names = fields.map(\.field.name)
        return (
            names[...place].joined(separator: "."), names[(place + 1)...].joined(separator: ".")
        )
    }
}
