/// Location of a list, set or dictionary in an object: a property, or a collection nested in it.
public struct CollectionLocation: Hashable, Sendable {
    var table: TableKey
    var object: ObjectKey
    /// Index of the property among the table's columns.
    var column: Int
    /// Path from the property's value to the nested collection.
    var steps: [Step]

    /// Step to an element of a list, or to the value under a key of a dictionary.
    public enum Step: Hashable, Sendable {
        case index(Int)
        case key(String)
    }

    public init(_ table: TableKey, _ object: ObjectKey, _ column: Int, _ steps: [Step] = []) {
        (self.table, self.object, self.column, self.steps) = (table, object, column, steps)
    }
}
