/// Cache of index lists in which all objects have the same value, together with that value. The
/// editor can add another object with this value without reading values of the column.
///
/// Only some lists with short values are cached. Belongs to one `IndexEditor`.
final class SharedValues {
    /// A cached list: its ref, and the value that all its objects have. The value is recorded as a
    /// code for its type and length, and as its index string.
    private struct Item {
        var list: UInt64 = 0
        var kind: UInt64 = 0
        var string = IndexString.Words.zero
    }

    private static let count = 256
    private var items: UnsafeMutablePointer<Item>?

    deinit { items?.deallocate() }

    /// Returns a code for the type and length of the entry's value. Returns 0 for types whose
    /// values can differ although their index strings are equal.
    @inline(__always)
    private static func kind(_ entry: IndexEditor.Entry) -> UInt64 {
        let kind: UInt64
        switch entry.value {
        case .null: kind = 1
        case .int: kind = 2
        case .bool: kind = 3
        case .string: kind = 4
        case .binary: kind = 5
        case .timestamp: kind = 6
        case .objectID: kind = 7
        case .uuid: kind = 8
        default: return 0
        }
        return UInt64(entry.string.count) << 8 | kind
    }

    @inline(__always)
    private static func place(_ words: IndexString.Words) -> Int {
        var sum: UInt64 = 0
        for i in 0..<8 { sum = (sum ^ words[i]) &* 0x9E37_79B9_7F4A_7C15 }
        return Int(truncatingIfNeeded: sum >> 56)
    }

    /// Whether all objects of the list at the ref `list` are known to have the value of `entry`.
    func holds(_ entry: IndexEditor.Entry, list: UInt64) -> Bool {
        guard let items, let words = entry.string.words else { return false }
        let item = items[Self.place(words)]
        return item.list == list && item.kind == Self.kind(entry) && item.string == words
    }

    /// Adds the list at the ref `list` to the cache: all its objects have the value of `entry`.
    /// Replaces the list that occupied the same cache slot.
    func remember(_ entry: IndexEditor.Entry, list: UInt64) {
        let kind = Self.kind(entry)
        guard kind != 0, let words = entry.string.words else { return invalidate(entry) }
        if items == nil {
            items = .allocate(capacity: Self.count)
            items!.initialize(repeating: Item(), count: Self.count)
        }
        items![Self.place(words)] = Item(list: list, kind: kind, string: words)
    }

    /// Removes the list with the index string of `entry` from the cache. Called when its objects no
    /// longer all have the same value.
    func invalidate(_ entry: IndexEditor.Entry) {
        guard let items, let words = entry.string.words else { return }
        items[Self.place(words)].list = 0
    }
}
