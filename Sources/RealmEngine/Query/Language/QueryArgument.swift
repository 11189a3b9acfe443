/// A value bound to `$0`, `$1` ... of a query (query language 2.7).
public enum QueryArgument: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    case binary([UInt8])
    case timestamp(Timestamp)
    case decimal(Decimal128)
    case objectID(ObjectID)
    case uuid(UUIDValue)
    /// An object by its key.
    case link(ObjectLink)
    /// An object by the primary key of its class.
    indirect case object(className: String, primaryKey: QueryArgument)
    /// A text that stands for a value of whatever type the other side has, in the form that type
    /// has in plain output; refused where it has no such value.
    case text(String)
    /// Elements are scalars.
    case list([QueryArgument])
    indirect case geo(GeoShape)
}

/// A place on the globe, in degrees.
public struct GeoPoint: Hashable, Sendable {
    public var longitude: Double
    public var latitude: Double

    public init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }
}

/// A geospatial value as an argument gives it, not yet validated (query language 20).
public enum GeoShape: Sendable {
    case point(GeoPoint)
    /// Two opposite corners.
    case box(GeoPoint, GeoPoint)
    /// The radius is an angle in radians: kilometres divided by 6378.1.
    case circle(GeoPoint, radius: Double)
    /// The first ring is the outside, others are holes; the last point of a ring repeats its first.
    case polygon([[GeoPoint]])
}
