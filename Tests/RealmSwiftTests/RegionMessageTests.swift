import Foundation
@_spi(Testing) import RealmSwift
import Testing

final class Spot: EmbeddedObject {
    @Persisted var coordinates: List<Double>
    @Persisted var type = "Point"
}

final class Typeless: EmbeddedObject {
    @Persisted var coordinates: List<Double>
}

final class TopSpot: Object {
    @Persisted var coordinates: List<Double>
    @Persisted var type = "Point"
}

final class Trip: Object {
    @Persisted var start: Spot?
    @Persisted var typeless: Typeless?
    @Persisted var top: TopSpot?
}

/// Messages for invalid regions name the ring and the edges in the same words as the SDK.
@Suite struct RegionMessageTests {
    private let lab: RealmLab
    private let trips: Results<Trip>

    init() throws {
        lab = try RealmLab([Trip.self, Spot.self, Typeless.self, TopSpot.self])
        trips = try lab.open().objects(Trip.self)
    }

    private static let outside = [(50.0, -80.0), (62, 22), (22, 22), (-80, -80), (50, -80)]
    private static let hole = [(45.0, -77.0), (61, 21), (21, 21), (-77, -77), (45, -77)]
    private static let inner = [(40.0, -75.5), (60, 20), (20, 20), (-75.5, -75.5), (40, -75.5)]
    private static let square = [(0.0, 0.0), (0, 1), (1, 1), (1, 0), (0, 0)]

    private func reason(_ region: some RLMGeospatial) -> String {
        let trips = trips
        let typed = RealmTesting.catchMisuse {
            _ = trips.where { $0.start.geoWithin(region) }.count
        }
        let text = RealmTesting.catchMisuse { _ = trips.filter("start IN %@", region).count }
        #expect(typed == nil || text?.reason.contains(typed?.reason ?? "") == true)
        return typed?.reason ?? "no trap"
    }

    private func reason(_ rings: [[(Double, Double)]]) -> String {
        reason(GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst()))!)
    }

    @Test func crossingEdgesAreNamedWithTheirPoints() {
        #expect(
            reason([[(50, -50), (55, 55), (-50, 50), (70, -25), (50, -50)]])
                == "Invalid region in GEOWITHIN query for parameter 'GeoPolygon({[-50, 50, 0], "
                + "[55, 55, 0], [50, -50, 0], [-25, 70, 0], [-50, 50, 0]})': 'Ring 0 is not "
                + "valid: 'Edges 0 and 2 cross. Edge locations in degrees: [50.0000000, "
                + "-50.0000000]-[55.0000000, 55.0000000] and [-50.0000000, 50.0000000]-"
                + "[70.0000000, -25.0000000]''")
    }

    @Test func holesOutsideAreNamed() {
        let far = [(2.0, 2.0), (2, 3), (3, 3), (3, 2), (2, 2)]
        #expect(
            reason([Self.square, far]).hasSuffix(
                "'Secondary ring 1 not contained by first exterior ring - secondary rings must be "
                    + "holes in the first ring'"))
        let across = [(0.25, 0.5), (0.75, 0.5), (0.75, 1.5), (0.25, 1.5), (0.25, 0.5)]
        #expect(reason([Self.square, across]).contains("'Secondary ring 1 not contained"))
    }

    @Test func commonEdgesAreNamed() {
        let common = [(40.0, -75.5), (62, 22), (22, 22), (-75.5, -75.5), (40, -75.5)]
        #expect(
            reason([Self.outside, common]).hasSuffix(
                "'Polygon isn't valid: 'Duplicate edge: ring 1, edge 1 and ring 0, edge 1''"))
    }

    @Test func nestedAndCrossingHolesAreNumbered() {
        #expect(
            reason([Self.outside, Self.hole, Self.inner]).hasSuffix(
                "'Polygon interior rings cannot be nested: 2'"))
        #expect(
            reason([Self.outside, Self.inner, Self.hole]).hasSuffix(
                "'Polygon interior rings cannot be nested: 2'"))
        func box(_ low: Double, _ high: Double) -> [(Double, Double)] {
            [(low, low), (low, high), (high, high), (high, low), (low, low)]
        }
        #expect(
            reason([box(0, 9), box(1, 3), box(2, 4)]).hasSuffix(
                "'Polygon isn't valid: 'Ring 1 crosses ring 2''"))
        #expect(reason([box(0, 9), box(1, 3), box(4, 6)]) == "no trap")
    }

    @Test func numbersHaveSixDigits() {
        let ring = [(40.0096192, -75.5175781), (0.5, 1), (40.0096192, -75.5175781)]
        let points = ring.map { GeoPoint(latitude: $0.0, longitude: $0.1, altitude: 2.5)! }
        let more = GeoPoint(latitude: 0.000123456789, longitude: 170)!
        let polygon = GeoPolygon(outerRing: [points[0], points[1], more, points[1], points[2]])!
        #expect(
            reason(polygon).contains(
                "'GeoPolygon({[-75.5176, 40.0096, 2.5], [1, 0.5, 2.5], [170, 0.000123457, 0], "))
    }

    @Test func linksToOtherClassesAreNamed() {
        let circle = GeoCircle(center: (0, 0), radiusInRadians: 10)!
        let trips = trips
        func reason(_ property: String) -> String? {
            RealmTesting.catchMisuse { _ = trips.filter("\(property) IN %@", circle) }?.reason
        }
        #expect(
            reason("typeless")?.contains(
                "Query 'typeless GEOWITHIN GeoCircle([0, 0, 0], 10)' links to data in the wrong "
                    + "format for a geoWithin query") == true)
        #expect(
            reason("top")?.contains(
                "A GEOWITHIN query can only operate on a link to an embedded class but 'TopSpot' "
                    + "is at the top level") == true)
    }
}
