import Foundation
import RealmEngine

/// A place on the globe, in degrees and metres.
public struct GeoPoint: Sendable, Hashable {
    public let latitude: Double
    public let longitude: Double
    public let altitude: Double

    /// Nil for what is no place: the latitude goes from -90 to 90, the longitude from -180 to 180, and the
    /// altitude is not negative.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard abs(latitude) <= 90, abs(longitude) <= 180, altitude >= 0 else { return nil }
        (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
    }

    fileprivate init?(_ pair: (Double, Double)) {
        self.init(latitude: pair.0, longitude: pair.1)
    }

    fileprivate var stored: RealmEngine.GeoPoint {
        RealmEngine.GeoPoint(longitude: longitude, latitude: latitude)
    }
}

/// A distance on the globe, as an angle.
public struct Distance: Sendable, Hashable {
    private static let kilometresOfRadian = 6378.1
    private static let kilometresOfMile = 1.609344

    public let radians: Double

    /// Nil for less than nothing.
    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    public static func kilometers(_ value: Double) -> Distance? {
        Distance(value / kilometresOfRadian)
    }
    public static func miles(_ value: Double) -> Distance? {
        kilometers(value * kilometresOfMile)
    }
    public static func degrees(_ value: Double) -> Distance? { Distance(value * .pi / 180) }
    public static func radians(_ value: Double) -> Distance? { Distance(value) }

    public func asKilometers() -> Double { radians * Self.kilometresOfRadian }
    public func asMiles() -> Double { asKilometers() / Self.kilometresOfMile }
    public func asDegrees() -> Double { radians * 180 / .pi }
}

/// A part of the globe, in which places are looked for.
public protocol RLMGeospatial: Sendable {
    var _rlmShape: _GeoShape { get }
}

/// A part of the globe as the engine has it.
public struct _GeoShape: Sendable {
    let shape: GeoShape
}

extension RLMGeospatial {
    var shape: GeoShape { _rlmShape.shape }
}

/// A part between two parallels and two meridians.
public struct GeoBox: RLMGeospatial, Hashable {
    public let bottomLeft: GeoPoint
    public let topRight: GeoPoint

    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        (self.bottomLeft, self.topRight) = (bottomLeft, topRight)
    }

    /// Latitude and longitude; nil for what is no place.
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

/// A part inside a ring of places, without those inside others.
public struct GeoPolygon: RLMGeospatial, Hashable {
    public let outerRing: [GeoPoint]
    public let holes: [[GeoPoint]]?

    /// Nil for rings of fewer than three different places, and for those whose last place is not the first
    /// one.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
        for ring in [outerRing] + (holes ?? []) where !Self.isRing(ring) { return nil }
        (self.outerRing, self.holes) = (outerRing, holes)
    }

    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        guard let outer = Self.points(outerRing) else { return nil }
        let inner = holes.compactMap { Self.points($0) }
        if inner.count < holes.count { return nil }
        self.init(outerRing: outer, holes: inner.isEmpty ? nil : inner)
    }

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

/// A part around a place.
public struct GeoCircle: RLMGeospatial, Hashable {
    public let center: GeoPoint
    public let radians: Double

    /// Nil for a radius less than nothing.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        (self.center, radians) = (center, radiusInRadians)
    }

    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    public init(center: GeoPoint, radius: Distance) {
        (self.center, radians) = (center, radius.radians)
    }

    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    public var _rlmShape: _GeoShape {
        _GeoShape(shape: .circle(center.stored, radius: radians))
    }
}

// Arguments of predicates, which are no variables of C here.
extension GeoBox: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
extension GeoPolygon: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
extension GeoCircle: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
