import RealmEngine
import RealmRecords

extension JSONRenderer {
    /// Appends the extended form of a value, such as `{"$numberLong":"5"}`. Returns false without
    /// appending if it equals the plain form.
    ///
    /// The extended form has the keys of the reference library's most detailed JSON mode. It
    /// differs where that mode loses information: dates keep their nanoseconds, floats in mixed
    /// properties keep their type, and strings that are not UTF-8 keep their bytes.
    func appendExtended(
        _ value: Value, _ context: ValueContext, to out: inout ByteBuffer
    ) throws(RealmError) -> Bool {
        switch value {
        case .null, .bool, .list: return false
        case .string(let text): appendExtendedString(text, to: &out)
        case .int(let number): out.appendWrapped("$numberLong") { $0.append(number: number) }
        case .float(let number) where context.isMixed:
            // In a mixed property, only the extended form distinguishes a float from a double.
            out.appendWrapped("$numberFloat") { $0.append(number: number) }
        case .float(let number): out.appendWrapped("$numberDouble") { $0.append(number: number) }
        case .double(let number): out.appendWrapped("$numberDouble") { $0.append(number: number) }
        case .decimal(let number): out.appendWrapped("$numberDecimal") { $0.append(number: number) }
        case .objectID(let id): out.appendWrapped("$oid") { $0.append(id) }
        case .timestamp(let time): appendDate(time, to: &out)
        case .binary(let bytes):
            if style.binary == .omit { return false }
            appendBinary("00", to: &out) { $0.append(base64: bytes) }
        case .uuid(let stored):
            let id = style.guid.converted(stored)
            appendBinary("04", to: &out) { out in
                withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { bytes in
                    bytes.storeBytes(of: id.high.bigEndian, as: UInt64.self)
                    bytes.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt64.self)
                    out.append(base64: ByteView(bytes.baseAddress!, count: 16))
                }
            }
        case .set(let view):
            out.append("{\"$set\":")
            try appendElements(view, context, to: &out)
            out.append("}")
        case .dictionary(let view):
            out.append("{\"$dictionary\":")
            try appendEntries(view, context, to: &out)
            out.append("}")
        case .link(let link):
            let target = try targets[link.table]
            guard target.isEmbedded, !style.showsLostLinks else { return false }
            out.append("{\"$embedded\":{\"table\":")
            out.append(json: target.table.info.name)
            out.append(",\"value\":")
            try appendObject(link.key, of: target, context, to: &out)
            out.append("}}")
        }
        return true
    }

    /// Appends a string. If it is not UTF-8, appends its bytes in base64.
    private func appendExtendedString(_ text: ByteView, to out: inout ByteBuffer) {
        let start = out.count
        if out.append(json: text) { return }
        out.truncate(to: start)
        out.append(spelledOut: text)
    }

    func appendExtendedKey(_ text: ByteView, to out: inout ByteBuffer) {
        let start = out.count
        if out.append(json: text) { return }
        out.truncate(to: start)
        out.appendQuoted {
            $0.append(SpelledString.keyPrefix)
            $0.append(base64: text)
        }
    }

    /// Appends a date as whole milliseconds and the remaining nanoseconds, both rounded towards
    /// zero.
    private func appendDate(_ time: Timestamp, to out: inout ByteBuffer) {
        let milliseconds = Int128(time.seconds) * 1000 + Int128(time.nanoseconds / 1_000_000)
        out.append("{\"$date\":{\"$numberLong\":\"")
        out.append(number: milliseconds)
        out.append("\"}")
        let rest = time.nanoseconds % 1_000_000
        if rest != 0 {
            out.append(",\"$nanoseconds\":")
            out.append(number: Int64(rest))
        }
        out.append("}")
    }

    private func appendBinary(
        _ subType: StaticString, to out: inout ByteBuffer, _ content: (inout ByteBuffer) -> Void
    ) {
        out.append("{\"$binary\":{\"base64\":\"")
        content(&out)
        out.append("\",\"subType\":\"")
        out.append(subType)
        out.append("\"}}")
    }
}

extension Value {
    /// Whether this is a dictionary key that begins with `$`. A dictionary with such a key would
    /// look like an extended form.
    var looksWrapped: Bool {
        guard case .string(let text) = self else { return false }
        return text.count > 1 && text[0] == UInt8(ascii: "$")
    }

    /// Whether a reader could not recognise the type of the value in a mixed property from plain
    /// JSON. An example is a date, which plain JSON represents as a string.
    func needsType(_ context: JSONRenderer.ValueContext) -> Bool {
        guard context.isMixed else { return false }
        switch self {
        case .null, .int, .bool, .string, .link, .list, .set, .dictionary: return false
        case .double(let number): return !number.isFinite
        case .float, .binary, .timestamp, .decimal, .objectID, .uuid: return true
        }
    }
}

extension ByteBuffer {
    /// Appends `{"name":"…"}`.
    @inline(__always)
    fileprivate mutating func appendWrapped(
        _ name: StaticString, _ content: (inout ByteBuffer) -> Void
    ) {
        append("{\"")
        append(name)
        append("\":\"")
        content(&self)
        append("\"}")
    }
}
