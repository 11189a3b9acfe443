/// Order in which the bytes of UUIDs are stored (`--guid`).
package enum UUIDOrder: String, CaseIterable, Sendable {
    /// The order of the bytes in the text form (RFC 4122).
    case standard
    /// The order of .NET's `Guid.ToByteArray`, in which the .NET SDK stored UUIDs before version
    /// 10.10: the first four bytes and the next two pairs are reversed.
    case dotnet

    /// Converts between this order and the order of the text (RFC 4122), in either direction.
    /// Converting twice gives the same UUID.
    @inline(__always)
    package func converted(_ uuid: UUIDValue) -> UUIDValue {
        self == .standard ? uuid : uuid.reversedInParts
    }
}

extension UUIDValue {
    fileprivate var reversedInParts: UUIDValue {
        let first = UInt32(truncatingIfNeeded: high >> 32).byteSwapped
        let second = UInt16(truncatingIfNeeded: high >> 16).byteSwapped
        let third = UInt16(truncatingIfNeeded: high).byteSwapped
        return UUIDValue(
            high: UInt64(first) << 32 | UInt64(second) << 16 | UInt64(third), low: low)
    }
}
