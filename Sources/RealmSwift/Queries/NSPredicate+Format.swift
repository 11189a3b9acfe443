import Foundation
import RealmEngine

/// Predicates in text form, which Foundation does not support on Linux (API specification 3.1).
/// Such a predicate is made of a block. The block contains the text and the arguments, and passes
/// them only to this library.
extension NSPredicate {
    /// Creates a predicate for realms from text and arguments.
    ///
    /// ```swift
    /// let predicate = NSPredicate(format: "age > %@ AND owner.name == %@", 3, "Ann")
    /// let dogs = realm.objects(Dog.self).filter(predicate)
    /// ```
    ///
    /// `evaluate(with:)` of the predicate always returns false. The text is parsed when the
    /// predicate is used in a query; an invalid text traps there. May be called on any thread.
    public convenience init(format: String, _ args: Any?...) {
        self.init(format: format, argumentArray: args.map { $0 ?? NSNull() })
    }

    /// Creates a predicate for realms from text and an array of arguments. See `init(format:_:)`.
    public convenience init(format: String, argumentArray args: [Any]?) {
        let kept = ThreadTransfer(args ?? [])
        self.init(block: { subject, _ in
            guard let probe = subject as? FormatProbe else { return false }
            probe.found = (format, kept.value)
            return true
        })
        FormatPredicate.adopt(self)
    }

    /// Converts the predicate to a condition of the engine. Traps unless the predicate was created
    /// from text, is a constant, or is a compound of these.
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

/// Finds the text and arguments of a predicate that was created from text. Such a predicate wraps a
/// block; when the block is evaluated on an object of this class, it stores the text and arguments
/// in `found`.
private final class FormatProbe {
    var found: (format: String, arguments: [Any])?

    init() {}

    init(asking predicate: NSPredicate) { _ = predicate.evaluate(with: self) }
}

/// A predicate created from text. Two such predicates are equal if their texts and arguments are
/// equal. Predicates made of blocks are never equal.
private final class FormatPredicate: NSPredicate {
    /// Changes the class of a Foundation predicate to this class, which has no further stored
    /// properties. An initializer of `NSPredicate` cannot create an object of a subclass.
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
        // Numbers are compared by value, whatever their types.
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

/// Positions of elements in sections, with the names that Foundation has on Apple's platforms.
extension IndexPath {
    /// Creates the position of an element in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    /// Creates the position of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    /// Position of the section.
    public var section: Int { self[0] }
    /// Position of the element in the section.
    public var item: Int { self[1] }
    /// Position of the row in the section.
    public var row: Int { self[1] }
}
