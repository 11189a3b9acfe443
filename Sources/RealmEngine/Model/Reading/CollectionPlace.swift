/// A list, set or dictionary in an object: that of a property, or one nested in it.
public struct CollectionPlace: Hashable, Sendable {
    var table: TableKey
    var object: ObjectKey
    /// Index of the property among the table's columns.
    var column: Int
    /// From the property's own value inwards.
    var steps: [Step]

    /// To an element of a list, or to the value under a dictionary's key.
    public enum Step: Hashable, Sendable {
        case index(Int)
        case key(String)
    }

    public init(_ table: TableKey, _ object: ObjectKey, _ column: Int, _ steps: [Step] = []) {
        (self.table, self.object, self.column, self.steps) = (table, object, column, steps)
    }
}
