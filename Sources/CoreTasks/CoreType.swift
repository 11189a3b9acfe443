import RealmEngine
import ToolBench
import ToolKit

/// A property type for which some tasks are repeated. Converts numbers to values of the type.
enum CoreType: String, Sendable {
    case int, bool, string, timestamp, uuid, mixed
    case objectID = "object-id"

    var column: ColumnType {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .timestamp: .timestamp
        case .uuid: .uuid
        case .mixed: .mixed
        case .objectID: .objectID
        }
    }

    /// Returns the value for a number. For `mixed`, eight consecutive numbers have values of eight
    /// types.
    func argument(_ number: Int64) -> QueryArgument {
        switch self {
        case .int: .int(number)
        case .bool: .bool(number % 2 == 0)
        case .string: .string("string \(number)")
        case .timestamp: .timestamp(Timestamp(seconds: number, nanoseconds: 0))
        case .uuid: .uuid(UUIDValue(high: UInt64(bitPattern: number).byteSwapped, low: 0))
        case .objectID: .objectID(Self.objectID(number))
        case .mixed: Self.mixed(number)
        }
    }

    private static func objectID(_ number: Int64) -> ObjectID {
        var random = SplitMix64(seed: UInt64(bitPattern: number))
        return ObjectID(high: random.next(), low: UInt32(truncatingIfNeeded: random.next()))
    }

    private static func mixed(_ number: Int64) -> QueryArgument {
        switch number & 7 {
        case 0: .bool(true)
        case 1: .int(number)
        case 2: CoreType.string.argument(number)
        case 3: .double(Double(number))
        case 4: CoreType.timestamp.argument(number)
        case 5: .decimal(Decimal128(number))
        case 6: CoreType.objectID.argument(number)
        default: CoreType.uuid.argument(number)
        }
    }

    /// Returns the same number for all numbers that `argument` converts to equal values of this
    /// type. For Booleans, 0 or 1.
    func representative(_ number: Int64) -> Int64 {
        switch self {
        case .bool: number & 1
        case .mixed: number & 7 == 0 ? 0 : number
        default: number
        }
    }

    /// Returns the ObjectId or UUID that represents `number`, as a literal of the query language.
    /// `NULL` for other types.
    func literal(_ number: Int64) -> String {
        var text = ByteBuffer(capacity: 64)
        switch argument(number) {
        case .uuid(let id): text.append(id)
        case .objectID(let id): text.append(id)
        default: return "NULL"
        }
        let name = self == .uuid ? "uuid" : "oid"
        return name + "(" + String(decoding: text.bytes, as: UTF8.self) + ")"
    }
}
