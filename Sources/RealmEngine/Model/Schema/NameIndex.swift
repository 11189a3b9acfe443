/// Finds names by their bytes. Names that are equal only after Unicode normalisation are different.
struct NameIndex: Sendable {
    private let names: [String]
    /// Indexes of the names, sorted by the bytes of the names.
    private let order: [Int]

    init(_ names: [String]) {
        self.names = names
        order = Array(names.indices).ordered { Self.compare(names[$0], names[$1]) < 0 }
    }

    static func compare(_ a: String, _ b: String) -> Int {
        a.withView { a in b.withView { b in ByteView.compare(a, b) } }
    }

    /// Index of the first name that equals `name`; nil if there is none.
    func position(of name: String) -> Int? { name.withView { position(of: $0) } }

    func position(of name: ByteView) -> Int? {
        let place = order.partitionPoint { (i) -> Bool in
            names[i].withView { ByteView.compare($0, name) >= 0 }
        }
        guard place < order.count else { return nil }
        return names[order[place]].withView { $0 == name } ? order[place] : nil
    }

    /// A name that occurs more than once; nil if there is none.
    var duplicate: String? {
        zip(order, order.dropFirst()).first { Self.compare(names[$0], names[$1]) == 0 }
            .map { names[$0.0] }
    }
}
