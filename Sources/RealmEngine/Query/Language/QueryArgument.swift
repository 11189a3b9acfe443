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
    /// An object, identified by its table and key.
    case link(ObjectLink)
    /// An object given by the primary key of its class.
    indirect case object(className: String, primaryKey: QueryArgument)
    /// A text in the form that the tools print. Binding converts the text to the type of the other
    /// side of the comparison, and throws an error if that is impossible.
    case text(String)
    /// A list of single values, such as the argument of IN.
    case list([QueryArgument])
    indirect case geo(GeoShape)
}

/// A location on the globe, in degrees.
public struct GeoPoint: Hashable, Sendable {
    public var longitude: Double
    public var latitude: Double
    /// Altitude in metres. Appears in messages only.
    public var altitude: Double

    public init(longitude: Double, latitude: Double, altitude: Double = 0) {
        (self.longitude, self.latitude, self.altitude) = (longitude, latitude, altitude)
    }
}

/// A geospatial value of an argument, not yet validated (query language 20).
public enum GeoShape: Sendable {
    case point(GeoPoint)
    /// A box, given by two opposite corners.
    case box(GeoPoint, GeoPoint)
    /// The radius is an angle in radians: kilometres divided by 6378.1.
    case circle(GeoPoint, radius: Double)
    /// Rings of points: the first ring is the outside, others are holes. The last point of a ring
    /// repeats its first point.
    case polygon([[GeoPoint]])
}
