/// Location of a list, set or dictionary: the collection of a property, or a collection nested in
/// it.
public struct CollectionLocation: Hashable, Sendable {
    var table: TableKey
    var object: ObjectKey
    /// Index of the property among the table's columns.
    var column: Int
    /// Steps from the property's value to a nested collection; empty for the property's own
    /// collection.
    var steps: [Step]

    /// A step into a collection: to an element of a list, to the value of a dictionary's key, or to
    /// a nested collection of either.
    public enum Step: Sendable {
        case index(Int)
        case key(String)
        /// The nested collection whose key (object format 4.6) is `key`, wherever it is. The search
        /// begins at index `near`, which does not count when steps are compared.
        case collection(key: Int32, near: Int)
    }

    public init(_ table: TableKey, _ object: ObjectKey, _ column: Int, _ steps: [Step] = []) {
        (self.table, self.object, self.column, self.steps) = (table, object, column, steps)
    }
}

extension CollectionLocation.Step: Hashable {
    /// Whether both are the same kind of step with the same index or key.
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.index(let a), .index(let b)): a == b
        case (.key(let a), .key(let b)): a == b
        case (.collection(let a, _), .collection(let b, _)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .index(let index): hasher.combine(index)
        case .key(let key): hasher.combine(key)
        case .collection(let key, _): hasher.combine(key)
        }
    }

    /// Returns a step to `value`, the element at this step, that remains valid when the element
    /// gets another index. Returns this step if the element is not a nested collection with a key.
    func identifying(_ value: Value) -> Self {
        guard let key = value.nestedKey else { return self }
        return if case .index(let index) = self {
            .collection(key: key, near: index)
        } else {
            .collection(key: key, near: 0)
        }
    }
}

extension Value {
    /// Key of a nested collection; nil for other values and for a collection without a key.
    var nestedKey: Int32? {
        switch self {
        case .list(let view), .dictionary(let view): view.key == 0 ? nil : view.key
        default: nil
        }
    }
}
