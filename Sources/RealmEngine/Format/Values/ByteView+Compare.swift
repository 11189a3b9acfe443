import Glibc

extension ByteView {
    /// Compares byte by byte, unsigned; if one view is the beginning of the other, it is less.
    /// Returns a negative number, zero or a positive number.
    @inline(__always)
    package static func compare(_ a: ByteView, _ b: ByteView) -> Int {
        let order = memcmp(a.base, b.base, min(a.count, b.count))
        return order != 0 ? Int(order) : a.count - b.count
    }

    @inline(__always)
    public static func == (a: ByteView, b: ByteView) -> Bool {
        a.count == b.count && memcmp(a.base, b.base, a.count) == 0
    }
}

extension String {
    /// Calls `body` with the bytes of the text in UTF-8, which are valid only during the call.
    @inline(__always)
    package func withView<R, E>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
        var text = self
        return try text.withUTF8 { utf8 in
            Result { () throws(E) in
                try body(utf8.baseAddress.map { ByteView($0, count: utf8.count) } ?? .empty)
            }
        }.get()
    }
}
