/// Slots of a dictionary: two B+trees of the same size, with the keys in ascending order and their
/// values (object format 4.5). In formats 21 and 22 a dictionary is a cluster tree instead (10.1).
enum DictionaryShape {
    static let keys = 0
    static let values = 1

    static let count = 2
}
