import Foundation
import RealmEngine

extension _PropertyShape {
    /// Converts an untyped value to the stored form of the property; nil if its type does not fit.
    func stored(_ value: Any, _ storing: _Storing) -> Value? {
        guard let value = unwrapped(value), !(value is NSNull) else {
            return isOptional ? .null : nil
        }
        switch type {
        case .int:
            return (value as? any BinaryInteger).flatMap { Int64(exactly: $0) }.map { .int($0) }
        case .bool: return (value as? Bool).map { .bool($0) }
        case .string: return (value as? String).map { $0._rlmStored(storing) }
        case .data: return (value as? Data).map { $0._rlmStored(storing) }
        case .date: return (value as? Date).map { $0._rlmStored(storing) }
        case .float: return (value as? Float).map { .float($0) }
        case .double: return (value as? Double).map { .double($0) }
        case .UUID: return (value as? UUID).map { $0._rlmStored(storing) }
        case .objectId: return (value as? ObjectId).map { $0._rlmStored(storing) }
        case .decimal128: return (value as? Decimal128).map { $0._rlmStored(storing) }
        case .object: return (value as? ObjectBase)?.handle.map { .link($0.link) }
        case .any, .linkingObjects: return nil
        }
    }
}
