/// Slots of a dictionary: two B+trees, parallel and ascending by key (object format 4.5). In
/// formats 21 and 22 a dictionary is a cluster tree (10.1).
enum DictionaryShape {
    static let keys = 0
    static let values = 1

    static let count = 2
}
