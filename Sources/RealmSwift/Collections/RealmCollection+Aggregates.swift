import Foundation
import RealmEngine

/// Minimum, maximum, sum and average (API specification 2.6). Standard deviation and median are
/// additions to the SDK.
///
/// Nulls and NaN are skipped. The SDK makes two exceptions for minimum, maximum, sum and average,
/// which this library follows: the NaN of a float or double in an `AnyRealmValue`, and NaN in the
/// minimum of a `Map`, count as the smallest number. If there are no values, the sum is zero and
/// the others are nil.
extension RealmCollection {
    /// Returns an aggregate of a property of the objects; of the elements themselves if `property`
    /// is nil. Returns nil instead of null.
    func aggregateValue(_ function: AggregateFunction, _ property: String?) -> _Stored? {
        if isLocal { return LocalAggregate.value(Array(self), function, property) }
        return results.aggregate(function, property)
    }

    /// Returns the least value of a property, nil if there are no values. Traps for an unknown
    /// property or one of an unsupported type.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregateValue(.min, property)?.aggregateValue()
    }
    /// Returns the greatest value of a property, nil if there are no values. Traps for an unknown
    /// property or one of an unsupported type.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregateValue(.max, property)?.aggregateValue()
    }
    /// Returns the sum of a property, 0 if there are no values. Traps for an unknown property or
    /// one of an unsupported type.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType {
        (aggregateValue(.sum, property) ?? .zero).aggregateValue()
    }
    /// Returns the average of a property, nil if there are no values. Traps for an unknown property
    /// or one of an unsupported type.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        aggregateValue(.average, property)?.aggregateValue()
    }

    /// Returns the sample standard deviation of a property, nil for fewer than two values. An
    /// addition to the SDK.
    public func standardDeviation<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        aggregateValue(.standardDeviation, property)?.aggregateValue()
    }

    /// Returns the median of a property: the value in the middle, or the mean of the two values in
    /// the middle; nil if there are no values. An addition to the SDK.
    public func median<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        aggregateValue(.median, property)?.aggregateValue()
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the least value of a property, nil if there are no values. Nulls are skipped.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _name(for: keyPath))
    }
    /// Returns the greatest value of a property, nil if there are no values. Nulls are skipped.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _name(for: keyPath))
    }
    /// Returns the sum of a property, 0 if there are no values. Nulls are skipped.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _name(for: keyPath))
    }
    /// Returns the average of a property, nil if there are no values. Nulls are skipped.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _name(for: keyPath))
    }

    /// Returns the sample standard deviation of a property; nil for fewer than two values. The
    /// result is computed as a double and converted to `R`.
    public func standardDeviation<T: _HasPersistedType, R: _HasPersistedType>(
        of keyPath: KeyPath<Element, T>
    ) -> R? where T.PersistedType: AddableType, R.PersistedType: AddableType {
        standardDeviation(ofProperty: _name(for: keyPath))
    }

    /// Returns the median of a property; nil if there are no values. The result is computed as a
    /// double or decimal and converted to `R`.
    public func median<T: _HasPersistedType, R: _HasPersistedType>(
        of keyPath: KeyPath<Element, T>
    ) -> R? where T.PersistedType: AddableType, R.PersistedType: AddableType {
        median(ofProperty: _name(for: keyPath))
    }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
    /// Returns the least element, nil if there are no elements. Nulls are skipped.
    public func min() -> Element? { aggregateValue(.min, nil)?.aggregateValue() }
    /// Returns the greatest element, nil if there are no elements. Nulls are skipped.
    public func max() -> Element? { aggregateValue(.max, nil)?.aggregateValue() }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// Returns the sum of the elements, 0 if there are no elements. Nulls are skipped.
    public func sum() -> Element { (aggregateValue(.sum, nil) ?? .zero).aggregateValue() }
    /// Returns the average of the elements, nil if there are no elements. Nulls are skipped.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        aggregateValue(.average, nil)?.aggregateValue()
    }

    /// Returns the sample standard deviation of the elements; nil for fewer than two elements.
    public func standardDeviation<T: _HasPersistedType>() -> T?
    where T.PersistedType: AddableType {
        aggregateValue(.standardDeviation, nil)?.aggregateValue()
    }

    /// Returns the median of the elements, nil if there are no elements.
    public func median<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        aggregateValue(.median, nil)?.aggregateValue()
    }
}

extension Results {
    /// Returns the aggregate of a property of the objects; of the elements themselves if `property`
    /// is nil. Returns nil instead of null.
    func aggregate(_ function: AggregateFunction, _ property: String?) -> _Stored? {
        let value: Value
        switch source {
        case .objects(let source): value = source.aggregate(function, property ?? "self")
        case .values(let source):
            if let property, property != "self" {
                throwRealmException(
                    "Property '\(property)' not found in object of type '\(Element.self)'")
            }
            value = source.aggregate(function)
        }
        if case .null = value { return nil }
        return _Stored(value: value, realm: owningRealm)
    }
}

extension _Stored {
    /// The sum of an empty collection: the integer 0.
    static var zero: _Stored { _Stored(value: .int(0), realm: nil) }

    /// Converts an aggregate to the requested type. The average is a double for all types of
    /// elements.
    func aggregateValue<T: _HasPersistedType>() -> T {
        let type = (T.PersistedType.self as? any _RealmSchemaDiscoverable.Type)?._rlmType
        return T._rlmFromStored(_Stored(value: value.number(as: type), realm: realm))
    }
}

extension Value {
    /// Converts a number to the stored form of a column of `type`. Any other value is returned
    /// unchanged.
    fileprivate func number(as type: PropertyType?) -> Value {
        let number: Double
        switch self {
        case .int(let value):
            if type == .decimal128 { return .decimal(RealmEngine.Decimal128(value)) }
            if type == .int { return self }
            number = Double(value)
        case .float(let value): number = Double(value)
        case .double(let value): number = value
        case .decimal(let value): number = value.doubleValue
        default: return self
        }
        return switch type {
        case .int: .int(Int64(exactly: number.rounded(.towardZero)) ?? 0)
        case .float: .float(Float(number))
        case .double: .double(number)
        case .decimal128: .decimal(Decimal128(value: self.plain ?? 0).stored)
        default: self
        }
    }
}

/// Aggregates of unmanaged collections, computed in memory.
enum LocalAggregate {
    static func value<Element>(
        _ elements: [Element], _ function: AggregateFunction, _ property: String?,
        inDictionary: Bool = false
    ) -> _Stored? {
        let storing = _Storing(nil)
        let property = property == "self" ? nil : property
        var (values, type): ([Value], PropertyType) = ([], .any)
        for element in elements {
            if let property {
                guard let object = unwrapped(element) as? ObjectBase else { continue }
                let field = object.field(named: property)
                type = field.shape.type
                values.append(object.current(field, storing))
            } else if let value = element as? any _ObjcBridgeable {
                type = (value as? any _RealmSchemaDiscoverable).map { Self.type(of: $0) } ?? .any
                values.append(value._rlmStored(storing))
            }
        }
        // The type of the elements is unknown if there are none. The integer 0 converts to every
        // type of number.
        if values.isEmpty { return _Stored(unlessNull: function.ofNothing) }
        let value = type.column.flatMap {
            function.result(of: values, $0, inDictionary: inDictionary && property == nil)
        }
        guard let value else {
            throwRealmException(
                "Operation '\(function.title)' not supported for '\(type)' property "
                    + "'\(property ?? "self")'")
        }
        // In unmanaged collections of `AnyRealmValue`, the SDK computes aggregates as doubles,
        // unless an element is a decimal number.
        if type == .any, case .decimal(let number) = value, !values.contains(where: \.isDecimal) {
            return _Stored(value: .double(number.doubleValue), realm: nil)
        }
        return _Stored(unlessNull: value)
    }

    private static func type<T: _RealmSchemaDiscoverable>(of _: T) -> PropertyType { T._rlmType }
}

extension Value {
    fileprivate var isDecimal: Bool {
        if case .decimal = self { true } else { false }
    }
}

extension _Stored {
    /// Returns nil if `value` is null.
    fileprivate init?(unlessNull value: Value) {
        if case .null = value { return nil }
        self.init(value: value, realm: nil)
    }
}

extension ObjectBase {
    /// Returns the field with this name. Traps if the class has no such field.
    fileprivate func field(named name: String) -> ClassModel.Field {
        let model = ClassModel.of(Swift.type(of: self))
        if let field = model.field(named: name) { return field }
        throwRealmException("Property '\(name)' not found in object of type '\(model.name)'")
    }

    /// Returns the value of a field of a managed or an unmanaged object.
    fileprivate func current(_ field: ClassModel.Field, _ storing: _Storing) -> Value {
        guard let managed else { return field.wrapper.localValue(at: place(of: field), storing) }
        return managed.objects.property(named: field.column).map { stored($0).value } ?? .null
    }
}

extension ResultsSource {
    func aggregate(_ function: AggregateFunction, _ name: String) -> Value {
        guard let field = managed.model.field(named: name),
            let property = managed.objects.property(named: field.column)
        else {
            throwRealmException(
                "Property '\(name)' not found in object of type '\(managed.model.name)'")
        }
        return attempt { () throws(RealmError) in
            try results.aggregate(function, of: property)
        }
    }
}
