import Foundation
import RealmEngine

/// What Foundation does not do here: predicates of text (API specification 3.1). The text and its
/// arguments are kept in the block of the predicate, which gives them out to the library alone.
extension NSPredicate {
    public convenience init(format: String, _ args: Any?...) {
        self.init(format: format, argumentArray: args.map { $0 ?? NSNull() })
    }

    public convenience init(format: String, argumentArray args: [Any]?) {
        let kept = Carried(args ?? [])
        self.init(block: { subject, _ in
            guard let probe = subject as? FormatProbe else { return false }
            probe.found = (format, kept.value)
            return true
        })
        FormatPredicate.adopt(self)
    }

    /// The condition as the engine asks it. Traps for what is none of text, of a constant, or made of
    /// those.
    func query(_ managed: ManagedClass) throws(RealmError) -> RealmEngine.Query {
        guard let compound = self as? NSCompoundPredicate else {
            return try plainQuery(managed)
        }
        var parts: [RealmEngine.Query] = []
        for case let part as NSPredicate in compound.subpredicates as [Any] {
            parts.append(try part.query(managed))
        }
        switch compound.compoundPredicateType {
        case .and: return try RealmEngine.Query(all: parts)
        case .or: return try RealmEngine.Query(any: parts)
        case .not: return try RealmEngine.Query(not: parts[0])
        @unknown default: throwRealmException("Unsupported compound predicate")
        }
    }

    private func plainQuery(_ managed: ManagedClass) throws(RealmError) -> RealmEngine.Query {
        let probe = FormatProbe()
        let answer = evaluate(with: probe)
        guard let (format, arguments) = probe.found else {
            if answer != evaluate(with: nil) {
                throwRealmException(
                    "Only support compound, comparison, and constant predicates")
            }
            return try RealmEngine.Query(.always(answer))
        }
        return try PredicateText(format, arguments, managed).query()
    }
}

/// Asks a predicate what it was made of.
private final class FormatProbe {
    var found: (format: String, arguments: [Any])?

    init() {}

    init(asking predicate: NSPredicate) { _ = predicate.evaluate(with: self) }
}

/// A predicate of text: equal to those of the same text and arguments, where those of blocks equal none.
private final class FormatPredicate: NSPredicate {
    /// Makes an object of Foundation's class one of this one, which stores nothing more: an initialiser
    /// cannot make an object of another class than was asked for.
    static func adopt(_ predicate: NSPredicate) {
        guard type(of: predicate) == NSPredicate.self else { return }
        Unmanaged.passUnretained(predicate).toOpaque()
            .storeBytes(
                of: unsafeBitCast(self, to: UnsafeRawPointer.self), as: UnsafeRawPointer.self)
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? FormatPredicate else { return false }
        if other === self { return true }
        guard let mine = FormatProbe(asking: self).found,
            let theirs = FormatProbe(asking: other).found
        else { return false }
        return mine.format == theirs.format && Self.areEqual(mine.arguments, theirs.arguments)
    }

    private static func areEqual(_ a: [Any], _ b: [Any]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { areEqual(any: $0, $1) }
    }

    private static func areEqual(any a: Any, _ b: Any) -> Bool {
        if let a = elements(a), let b = elements(b) { return areEqual(a, b) }
        if let a = unwrapped(a) as? AnyHashable, let b = unwrapped(b) as? AnyHashable, a == b {
            return true
        }
        let (a, b) = (RealmSwift.plain(a) ?? NSNull(), RealmSwift.plain(b) ?? NSNull())
        // Numbers are equal whatever their types.
        if let a = a as? NSNumber, let b = b as? NSNumber { return a.isEqual(b) }
        guard let a = a as? AnyHashable, let b = b as? AnyHashable else { return false }
        return a == b
    }

    private static func elements(_ any: Any) -> [Any]? {
        (unwrapped(any) as? NSArray).map { Array($0) } ?? unwrapped(any) as? [Any]
    }

    override var hash: Int { FormatProbe(asking: self).found?.format.hashValue ?? 0 }
    override var predicateFormat: String { FormatProbe(asking: self).found?.format ?? "" }
}

/// Places of elements in sections.
extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    public var section: Int { self[0] }
    public var item: Int { self[1] }
    public var row: Int { self[1] }
}
