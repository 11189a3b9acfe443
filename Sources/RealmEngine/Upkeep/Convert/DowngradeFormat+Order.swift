/// Defines the order of texts, bytes and mixed values in older formats.
extension DowngradeFormat {
    /// Whether `a` comes before `b` in a set of `type`.
    func ascends(_ a: Value, _ b: Value, in type: ColumnType) -> Bool {
        if type == .mixed { return compareMixed(a, b) < 0 }
        switch (a, b) {
        case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)):
            return Self.ascends(x, y)
        case (.null, .null), (_, .null): return false
        case (.null, _): return true
        default: return ValueOrder.compare(a, b) < 0
        }
    }

    /// Compares bytes as signed numbers, as engines on Apple platforms and on x86 do.
    static func ascends(_ a: ByteView, _ b: ByteView) -> Bool {
        for i in 0..<min(a.count, b.count) where a[i] != b[i] {
            return Int8(bitPattern: a[i]) < Int8(bitPattern: b[i])
        }
        return a.count < b.count
    }

    /// Compares mixed values by the order that sets have in older formats.
    func compareMixed(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.string(let x), .string(let y)): LegacyTextOrder.compare(x, y)
        // Since format 23, strings are before binaries; older formats compare their bytes.
        case (.string(let x), .binary(let y)), (.binary(let x), .string(let y)):
            number > 22 ? ValueOrder.compare(a, b) : ByteView.compare(x, y)
        default: ValueOrder.compare(a, b)
        }
    }

    /// Compares two values whose keys are in the same list of an index, by the order of older
    /// formats. Texts are compared by their bytes; in sets of mixed values, by their letters. Older
    /// formats treat a text and a binary of the same bytes as equal. Here the text comes first, so
    /// that format 24 finds both, too.
    func compareIndexed(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.string(let x), .string(let y)): Self.ascends(x, y) ? -1 : Self.ascends(y, x) ? 1 : 0
        case (.string(let x), .binary(let y)), (.binary(let x), .string(let y)):
            ByteView.compare(x, y) != 0 ? ByteView.compare(x, y) : ValueOrder.compare(a, b)
        default: ValueOrder.compare(a, b)
        }
    }
}
