/// Slots of the collision map of a table: three arrays of the same length, sorted by the high half
/// and then the low half of the global key (object format 1.13).
enum CollisionMapShape {
    static let low = 0
    static let high = 1
    static let localID = 2

    static let count = 3
}
