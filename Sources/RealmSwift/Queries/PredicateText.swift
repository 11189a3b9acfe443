import Foundation
import RealmEngine

/// The text and the arguments of an `NSPredicate`, for a query on one class.
final class PredicateText: PredicateArguments {
    private let format: String
    private let given: [Any]
    private let managed: ManagedClass

    init(_ format: String, _ given: [Any], _ managed: ManagedClass) {
        (self.format, self.given, self.managed) = (format, given, managed)
    }

    func query() throws(RealmError) -> RealmEngine.Query {
        try RealmEngine.Query(
            predicate: format, self, managed.dialect, aliases: managed.aliases)
    }

    private func taken(_ number: Int) -> Any {
        guard number < given.count else {
            throwRealmException("Insufficient arguments for the predicate '\(format)'")
        }
        return given[number]
    }

    func value(_ number: Int, _ kind: UInt8) -> QueryArgument {
        guard "@dDiuUfgexX".utf8.contains(kind) else {
            throwRealmException(
                "Unsupported predicate format character '%\(Character(UnicodeScalar(kind)))'")
        }
        return PredicateValues(managed: managed).argument(taken(number))
    }

    func names(_ number: Int, isStart: Bool) -> [String] {
        let path = "\(taken(number))"
        return isStart
            ? managed.model.names(along: path) : path.split(separator: ".").map(String.init)
    }

    func comparison(_ path: QueryPath, isEqual: Bool, _ number: Int) -> QueryCondition? {
        PredicateValues(managed: managed).comparison(
            path, isEqual: isEqual, with: taken(number), in: managed.model)
    }

    func isProperty(_ name: String) -> Bool {
        managed.model.field(named: name) != nil || managed.objects.property(named: name) != nil
    }

    var selfProperty: String? { managed.model.type == LocalValue.self ? "value" : nil }
}
