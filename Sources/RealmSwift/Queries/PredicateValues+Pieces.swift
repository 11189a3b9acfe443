import Foundation
import RealmEngine

/// Comparisons with values that consist of several stored values: lists and dictionaries in an
/// `AnyRealmValue`, and custom types that are stored as embedded objects. Each of the stored values
/// is compared by itself.
extension PredicateValues {
    /// Returns a condition that the value at `path` equals `value`, or does not, for values that
    /// consist of several stored values. Compares each element of a list, each entry of a
    /// dictionary, and each property of an embedded object. Returns nil for all other values.
    ///
    /// - Parameter model: class at the beginning of the path; nil if unknown.
    func comparison(
        _ path: @autoclosure () -> QueryPath, isEqual: Bool, with value: Any?,
        in model: ClassModel?
    ) -> QueryCondition? {
        if let value, QueryArgument(usual: value) != nil { return nil }
        let plain = unwrapped(value as Any)
        if let mixed = plain as? AnyRealmValue, mixed.isCollection {
            let condition = pieces(of: mixed, at: path())
            return isEqual ? condition : .not(condition)
        }
        guard let object = Self.embedded(plain) else { return nil }
        func fields(_ path: QueryPath?) -> QueryCondition {
            let condition = self.fields(of: object, at: path)
            return isEqual ? condition : .not(condition)
        }
        let path = path()
        guard let (collection, rest) = model?.collection(along: path) else { return fields(path) }
        let count = QueryOperand.subqueryCount(collection, fields(rest))
        return .comparison(count, .greater, .constant(.int(0)))
    }

    private static func embedded(_ value: Any?) -> ObjectBase? {
        switch value {
        case let value as any CustomPersistable: value.persistableValue as? EmbeddedObject
        case let value as any FailableCustomPersistable: value.persistableValue as? EmbeddedObject
        default: nil
        }
    }

    // MARK: Lists and dictionaries

    private func pieces(of value: AnyRealmValue, at path: QueryPath) -> QueryCondition {
        switch value {
        case .list(let list):
            let elements = list.enumerated().map {
                pieces(of: $1, at: path.appending(.index($0)))
            }
            return collection("list", list.count, path, elements)
        case .dictionary(let map):
            let entries = map.asKeyValueSequence().map {
                pieces(of: $1, at: path.appending(.key($0)))
            }
            return collection("dictionary", map.count, path, entries)
        default: return .comparison(.path(path), .equal, .constant(argument(value)))
        }
    }

    private func collection(
        _ type: String, _ count: Int, _ path: QueryPath, _ pieces: [QueryCondition]
    ) -> QueryCondition {
        .and(
            [
                .comparison(.type(path), .equal, .constant(.string(type))),
                .comparison(.count(path), .equal, .constant(.int(Int64(count)))),
            ] + pieces)
    }

    // MARK: Embedded objects

    /// Returns a condition that each property of the embedded object at `path` equals the same
    /// property of `object`.
    ///
    /// - Parameter path: path to the embedded object in the database; nil if the query is on
    ///   embedded objects themselves.
    private func fields(of object: ObjectBase, at path: QueryPath?) -> QueryCondition {
        let model = ClassModel.of(type(of: object))
        return .and(
            model.fields.filter { !$0.isLinkingObjects }.map { field in
                Self.check(field, of: model)
                let step = QueryStep.property(field.name)
                return .comparison(
                    .path(path?.appending(step) ?? QueryPath([step])), .equal,
                    .constant(argument(object.value(forKey: field.name))))
            })
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

extension ClassModel {
    /// Splits a path after its first collection property; nil if it contains no collection.
    fileprivate func collection(
        along path: QueryPath
    ) -> (collection: QueryPath, rest: QueryPath?)? {
        var owner: ClassModel? = self
        for (i, name) in path.names.enumerated() {
            guard let name, let field = owner?.field(named: name) else { return nil }
            if field.shape.collection != nil {
                // `@values` after a map denotes the same elements as the map itself.
                let isNamed = path.names.dropFirst(i + 1).first == "@values"
                return (path.split(after: i).0, path.split(after: isNamed ? i + 1 : i).1)
            }
            owner = field.shape.target.map { ClassModel.of($0) }
        }
        return nil
    }
}
