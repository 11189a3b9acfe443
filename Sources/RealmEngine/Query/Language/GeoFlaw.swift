/// Reason why a shape is no valid region (query language 20).
///
/// Rings are numbered from 0, which is the outer ring. Vertices are numbered from 0, without
/// vertices that repeat the vertex before. Edge `i` begins at vertex `i`.
enum GeoFlaw: Error, Hashable {
    /// The shape is a point, which has no area that could contain another point.
    case point
    /// A longitude is not within 180 degrees, or a latitude not within 90.
    case coordinate
    /// The radius of a circle is negative or NaN.
    case radius
    /// The rings together have more points than `QueryLimits.points`.
    case tooManyPoints
    /// A polygon has no ring, not even an outer one.
    case noRing
    /// The last point of a ring is not equal to its first point.
    case open(ring: Int)
    /// A ring has fewer than three different vertices.
    case tooFewVertices(ring: Int, count: Int)
    /// Two vertices of a ring are equal.
    case repeatedVertex(ring: Int, Int, Int)
    /// Two edges of a ring cross.
    case crossingEdges(ring: Int, Int, Int)
    /// A hole is not completely inside the outer ring.
    case holeOutside(ring: Int)
    /// Two rings have an edge in common. The edges of each ring are numbered in the direction that
    /// has the inside of the ring on the left.
    case commonEdge(Edge, Edge)
    /// The edges of two holes of a polygon cross. The values are the ring numbers of the holes.
    case crossingHoles(Int, Int)
    /// A hole lies inside another hole. The value is the number of the inner hole. Holes are
    /// numbered from 1, and the holes inside a hole directly follow it: 2 is a hole inside the
    /// first hole.
    case nestedHole(Int)

    /// An edge of one of the polygon's rings.
    struct Edge: Hashable, Sendable {
        /// Number of the ring in its polygon; 0 is the outer ring.
        let ring: Int
        /// Number of the edge: the index of the vertex at which it begins.
        let index: Int
    }

    /// Text of the error message about a region that is not valid, without numbers of rings or
    /// vertices.
    var message: String {
        switch self {
        case .point: "a point has no inside"
        case .coordinate: "a longitude is within 180 degrees, a latitude within 90"
        case .radius: "a radius is not negative and not NaN"
        case .tooManyPoints: "it has more than \(QueryLimits.points) points"
        case .noRing: "a polygon needs a ring"
        case .open: "a ring must end where it begins"
        case .tooFewVertices: "a ring needs at least three different points"
        case .repeatedVertex, .crossingEdges: "a ring crosses or touches itself"
        case .holeOutside: "a hole lies outside its polygon"
        case .commonEdge: "two rings have an edge in common"
        case .crossingHoles, .nestedHole: "holes of a polygon overlap"
        }
    }
}
