import RealmEngine

/// One value of a parsed record. A trivial type that refers to memory of the record, valid until
/// the next record is read.
package struct JSONValue {
    package let token: UnsafeMutablePointer<JSONToken>
    /// Tape with the bytes and tokens of the record. Not retained: the reader owns the tape, and
    /// this value must not be used after the next record is read.
    private let owner: Unmanaged<JSONTape>

    @inline(__always)
    package init(tape: JSONTape, index: Int) {
        token = tape.tokens + index
        owner = Unmanaged.passUnretained(tape)
    }

    @inline(__always)
    fileprivate init(token: UnsafeMutablePointer<JSONToken>, owner: Unmanaged<JSONTape>) {
        self.token = token
        self.owner = owner
    }

    package var tape: JSONTape { owner.takeUnretainedValue() }
    package var index: Int { tape.tokens.distance(to: token) }

    /// First child of a container. The container must not be empty.
    @inline(__always)
    package var firstChild: JSONValue { JSONValue(token: token + 1, owner: owner) }

    /// Memory for decoded values, valid until the next record is read.
    @inline(__always)
    package var scratch: ScratchArena { owner._withUnsafeGuaranteedRef { $0.scratch } }

    @inline(__always) package var kind: JSONKind { token.pointee.kind }
    @inline(__always) package var isNull: Bool { kind == .null }

    /// Name of the field with this value, with escapes decoded. Empty for elements and for the
    /// root.
    @inline(__always) package var key: ByteView {
        owner._withUnsafeGuaranteedRef { $0.key(of: token) }
    }

    /// Text of a string, with escapes decoded. For other values, the bytes as written.
    @inline(__always) package var text: ByteView {
        owner._withUnsafeGuaranteedRef { $0.text(of: token) }
    }

    /// Bytes of the value as written, including the quotes of a string.
    package var source: ByteView {
        let start = UnsafeRawPointer(
            owner._withUnsafeGuaranteedRef { $0.bytes } + Int(token.pointee.offset))
        let length = Int(token.pointee.length)
        return kind == .string
            ? ByteView(start - 1, count: length + 2) : ByteView(start, count: length)
    }

    /// The number if `kind` is `.int`, otherwise nil.
    @inline(__always) package var int: Int64? {
        kind == .int ? Int64(bitPattern: token.pointee.payload) : nil
    }

    /// The number if it is whole, exceeds Int64, and fits UInt64; otherwise nil.
    package var unsigned: UInt64? {
        kind == .number && token.pointee.flags & JSONToken.unsigned != 0
            ? token.pointee.payload : nil
    }

    /// The double that is nearest to the number; infinite if the number is out of range. Nil for
    /// other values.
    package var double: Double? {
        switch kind {
        case .int: Double(Int64(bitPattern: token.pointee.payload))
        case .number: Double(text: text)
        default: nil
        }
    }

    @inline(__always) package var bool: Bool? { kind == .bool ? token.pointee.payload != 0 : nil }

    /// Number of children of an object or array; 0 for scalars.
    @inline(__always) package var count: Int {
        kind.rawValue >= JSONKind.array.rawValue ? Int(token.pointee.payload) : 0
    }

    /// Elements of an array or fields of an object, in order; empty for scalars.
    @inline(__always) package var children: JSONChildren {
        JSONChildren(
            next: token + 1, end: token + Int(token.pointee.next), owner: owner)
    }

    /// Returns the field called `name`; nil if there is none or this is not an object.
    package func field(_ name: StaticString) -> JSONValue? {
        guard kind == .object else { return nil }
        for child in children where child.key.equals(name) { return child }
        return nil
    }
}

/// Children of an object or array. A trivial type that refers to memory of the record, valid until
/// the next record is read.
package struct JSONChildren: Sequence, IteratorProtocol {
    private var position: UnsafeMutablePointer<JSONToken>
    private let end: UnsafeMutablePointer<JSONToken>
    private let owner: Unmanaged<JSONTape>

    @inline(__always)
    fileprivate init(
        next: UnsafeMutablePointer<JSONToken>, end: UnsafeMutablePointer<JSONToken>,
        owner: Unmanaged<JSONTape>
    ) {
        position = next
        self.end = end
        self.owner = owner
    }

    @inline(__always)
    package mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        defer { position += Int(position.pointee.next) }
        return JSONValue(token: position, owner: owner)
    }
}

extension ByteView {
    @inline(__always)
    package func equals(_ name: StaticString) -> Bool {
        self == ByteView(UnsafeRawPointer(name.utf8Start), count: name.utf8CodeUnitCount)
    }

    package func equals(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { other in
            guard let base = other.baseAddress else { return count == 0 }
            return self == ByteView(base, count: other.count)
        }
    }
}
