import Foundation
import RealmEngine

/// A point on the globe.
public struct GeoPoint: Sendable, Hashable {
    /// Latitude in degrees, from -90 to 90.
    public let latitude: Double
    /// Longitude in degrees, from -180 to 180.
    public let longitude: Double
    /// Altitude in metres, not negative. Queries ignore it.
    public let altitude: Double

    /// Creates a point; nil if a coordinate is out of its range.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard abs(latitude) <= 90, abs(longitude) <= 180, altitude >= 0 else { return nil }
        (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
    }

    fileprivate init?(_ pair: (Double, Double)) {
        self.init(latitude: pair.0, longitude: pair.1)
    }

    fileprivate var stored: RealmEngine.GeoPoint {
        RealmEngine.GeoPoint(longitude: longitude, latitude: latitude, altitude: altitude)
    }
}

/// A distance on the globe, as an angle at its centre.
public struct Distance: Sendable, Hashable {
    private static let kilometresOfRadian = 6378.1
    private static let kilometresOfMile = 1.609344

    /// The angle in radians.
    public let radians: Double

    /// Returns nil for a negative angle.
    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Creates a distance from kilometres; nil if negative.
    public static func kilometers(_ value: Double) -> Distance? {
        Distance(value / kilometresOfRadian)
    }
    /// Creates a distance from miles; nil if negative.
    public static func miles(_ value: Double) -> Distance? {
        kilometers(value * kilometresOfMile)
    }
    /// Creates a distance from degrees; nil if negative.
    public static func degrees(_ value: Double) -> Distance? { Distance(value * .pi / 180) }
    /// Creates a distance from radians; nil if negative.
    public static func radians(_ value: Double) -> Distance? { Distance(value) }

    /// The distance in kilometres.
    public func asKilometers() -> Double { radians * Self.kilometresOfRadian }
    /// The distance in miles.
    public func asMiles() -> Double { asKilometers() / Self.kilometresOfMile }
    /// The distance in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }
}

/// A region of the globe for `geoWithin` and for arguments of predicates.
public protocol RLMGeospatial: Sendable {
    /// The region, as RealmEngine compares points with it.
    var _rlmShape: _GeoShape { get }
}

/// A geographic region, as RealmEngine compares points with it.
public struct _GeoShape: Sendable {
    let shape: GeoShape
}

extension RLMGeospatial {
    var shape: GeoShape { _rlmShape.shape }
}

/// A region between two parallels and two meridians.
public struct GeoBox: RLMGeospatial, Hashable {
    /// The corner in the south-west.
    public let bottomLeft: GeoPoint
    /// The corner in the north-east.
    public let topRight: GeoPoint

    /// Creates a box from two corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        (self.bottomLeft, self.topRight) = (bottomLeft, topRight)
    }

    /// Creates a box from two corners as latitude and longitude; nil if a coordinate is out of its
    /// range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    public var _rlmShape: _GeoShape {
        _GeoShape(shape: .box(bottomLeft.stored, topRight.stored))
    }
}

/// A region inside a ring of points. It does not include the holes.
public struct GeoPolygon: RLMGeospatial, Hashable {
    /// The boundary of the region. The last point equals the first.
    public let outerRing: [GeoPoint]
    /// The boundaries of holes in the region; nil for none.
    public let holes: [[GeoPoint]]?

    /// Creates a polygon. Returns nil if a ring has fewer than three different points, or if its
    /// last point differs from its first.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
        for ring in [outerRing] + (holes ?? []) where !Self.isRing(ring) { return nil }
        (self.outerRing, self.holes) = (outerRing, holes)
    }

    /// Creates a polygon. Returns nil if a ring has fewer than three different points, or if its
    /// last point differs from its first.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// Creates a polygon from rings of latitudes and longitudes; nil if a coordinate is out of its
    /// range or a ring is not closed.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        guard let outer = Self.points(outerRing) else { return nil }
        let inner = holes.compactMap { Self.points($0) }
        if inner.count < holes.count { return nil }
        self.init(outerRing: outer, holes: inner.isEmpty ? nil : inner)
    }

    /// Creates a polygon from rings of latitudes and longitudes; nil if a coordinate is out of its
    /// range or a ring is not closed.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    private static func points(_ pairs: [(Double, Double)]) -> [GeoPoint]? {
        let points = pairs.compactMap { GeoPoint($0) }
        return points.count == pairs.count ? points : nil
    }

    private static func isRing(_ points: [GeoPoint]) -> Bool {
        points.count > 3 && points.first == points.last && Set(points).count >= 3
    }

    public var _rlmShape: _GeoShape {
        let rings = [outerRing] + (holes ?? [])
        return _GeoShape(shape: .polygon(rings.map { $0.map(\.stored) }))
    }
}

/// A region around a point.
public struct GeoCircle: RLMGeospatial, Hashable {
    /// The centre of the region.
    public let center: GeoPoint
    /// The radius as an angle at the centre of the globe, in radians.
    public let radians: Double

    /// Creates a circle; nil for a negative radius.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        (self.center, radians) = (center, radiusInRadians)
    }

    /// Creates a circle around a latitude and longitude; nil if a coordinate is out of its range or
    /// the radius is negative.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// Creates a circle.
    public init(center: GeoPoint, radius: Distance) {
        (self.center, radians) = (center, radius.radians)
    }

    /// Creates a circle around a latitude and longitude; nil if a coordinate is out of its range.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    public var _rlmShape: _GeoShape {
        _GeoShape(shape: .circle(center.stored, radius: radians))
    }
}

// Predicates require arguments to be `CVarArg`. Regions are never passed to C, so their C encoding
// is empty.
extension GeoBox: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
/// Predicates require arguments to be `CVarArg`. Regions are never passed to C, so their C encoding
/// is empty.
extension GeoPolygon: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
/// Predicates require arguments to be `CVarArg`. Regions are never passed to C, so their C encoding
/// is empty.
extension GeoCircle: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
