extension ByteBuffer {
    /// Appends text as UTF-8; each ill-formed sequence is replaced by U+FFFD.
    package mutating func append(repairing text: ByteView) {
        var position = 0
        while position < text.count {
            let at = text.base + position
            if at.load(as: UInt8.self) < 0x80 {
                append(at.load(as: UInt8.self))
                position &+= 1
                continue
            }
            let sequence = UTF8Sequence(at, count: text.count &- position)
            if sequence.isWellFormed {
                append(ByteView(at, count: sequence.length))
            } else {
                append("\u{FFFD}")
            }
            position &+= sequence.length
        }
    }
}
