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

    /// A step into a collection: to an element of a list, or to the value of a dictionary's key.
    public enum Step: Hashable, Sendable {
        case index(Int)
        case key(String)
    }

    public init(_ table: TableKey, _ object: ObjectKey, _ column: Int, _ steps: [Step] = []) {
        (self.table, self.object, self.column, self.steps) = (table, object, column, steps)
    }
}
