import Foundation
import RealmEngine

/// Least, greatest, sum and average (API specification 2.6): nulls count for nothing, of nothing the sum
/// is zero and the others are nil.
extension RealmCollection {
    private func figure<T: _HasPersistedType>(
        _ reduction: QueryReduction, _ property: String
    ) -> T? { sorted(by: []).reduced(reduction, property) }

    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        figure(.min, property)
    }
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        figure(.max, property)
    }
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType {
        figure(.sum, property)!
    }
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        figure(.average, property)
    }
}

extension RealmCollection where Element: ObjectBase {
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _name(for: keyPath))
    }
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _name(for: keyPath))
    }
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _name(for: keyPath))
    }
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _name(for: keyPath))
    }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
    public func min() -> Element? { sorted(by: []).reduced(.min, nil) }
    public func max() -> Element? { sorted(by: []).reduced(.max, nil) }
}

extension RealmCollection where Element.PersistedType: AddableType {
    public func sum() -> Element { sorted(by: []).reduced(.sum, nil)! }
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        sorted(by: []).reduced(.average, nil)
    }
}

extension Results {
    /// A property of the objects, or the elements themselves, reduced to one value.
    func reduced<T: _HasPersistedType>(_ reduction: QueryReduction, _ property: String?) -> T? {
        let value: Value
        switch source {
        case .objects(let source): value = source.reduced(reduction, property ?? "self")
        case .values(let source): value = source.reduced(reduction)
        }
        if case .null = value { return nil }
        // Averages are doubles whatever is averaged.
        if case .double(let number) = value, let type = T.self as? any BinaryFloatingPoint.Type {
            return type.init(number) as? T
        }
        if case .double(let number) = value, let type = T.self as? any FixedWidthInteger.Type {
            return type.init(number) as? T
        }
        return T._rlmFromStored(_Stored(value: value, realm: home))
    }
}

extension ResultsSource {
    func reduced(_ reduction: QueryReduction, _ name: String) -> Value {
        guard let field = managed.model.field(named: name),
            let property = managed.objects.property(named: field.column)
        else {
            throwRealmException(
                "Property '\(name)' not found in object of type '\(managed.model.name)'")
        }
        return attempt { () throws(RealmError) in
            try results.reduced(reduction, of: property)
        }
    }
}
