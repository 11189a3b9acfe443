/// Texts of geographic shapes and their flaws, in the wording of the SDKs. Used in messages to
/// programs that use predicates.
extension GeoShape {
    var text: String {
        switch self {
        case .point(let point): return "GeoPoint(\(point.text))"
        case .box(let a, let b):
            let second = GeoPoint(longitude: a.longitude, latitude: b.latitude)
            let fourth = GeoPoint(longitude: b.longitude, latitude: a.latitude)
            return GeoShape.polygon([[a, second, b, fourth, a]]).text
        case .circle(let center, let radius):
            return "GeoCircle(\(center.text), \(radius.sixDigits))"
        case .polygon(let rings):
            let texts = rings.map { "{" + $0.map(\.text).joined(separator: ", ") + "}" }
            return "GeoPolygon(\(texts.joined(separator: ", ")))"
        }
    }

    /// Returns the error message for a flaw of this shape, with the numbers of rings and edges and
    /// the coordinates.
    func text(of flaw: GeoFlaw) -> String {
        switch flaw {
        case .tooFewVertices(let ring, let count):
            return "Ring \(ring) must have at least 3 different vertices, "
                + "\(count) unique vertices were provided"
        case .repeatedVertex(let ring, let a, let b):
            return "Ring \(ring) is not valid: 'Duplicate vertices: \(a) and \(b)'"
        case .crossingEdges(let ring, let a, let b):
            return "Ring \(ring) is not valid: 'Edges \(a) and \(b) cross. "
                + "Edge locations in degrees: \(edge(a, of: ring)) and \(edge(b, of: ring))'"
        case .holeOutside(let ring):
            return "Secondary ring \(ring) not contained by first exterior ring - "
                + "secondary rings must be holes in the first ring"
        case .commonEdge(let a, let b):
            return "Polygon isn't valid: 'Duplicate edge: ring \(a.ring), edge \(a.index) "
                + "and ring \(b.ring), edge \(b.index)'"
        case .crossingHoles(let a, let b):
            return "Polygon isn't valid: 'Ring \(a) crosses ring \(b)'"
        case .nestedHole(let number): return "Polygon interior rings cannot be nested: \(number)"
        case .point, .coordinate, .radius, .tooManyPoints, .noRing, .open: return flaw.message
        }
    }

    /// Describes edge `i` of a ring by the coordinates of its two end points, latitude first. Empty
    /// if there is no such edge.
    private func edge(_ i: Int, of ring: Int) -> String {
        guard case .polygon(let rings) = self, rings.indices.contains(ring) else { return "" }
        var vertices: [GeoPoint] = []
        for point in rings[ring] where vertices.last?.isSamePlace(as: point) != true {
            vertices.append(point)
        }
        guard i + 1 < vertices.count else { return "" }
        return "\(vertices[i].degrees)-\(vertices[i + 1].degrees)"
    }
}

extension GeoPoint {
    fileprivate var text: String {
        "[\(longitude.sixDigits), \(latitude.sixDigits), \(altitude.sixDigits)]"
    }

    fileprivate var degrees: String {
        "[\(latitude.text(decimals: 7)), \(longitude.text(decimals: 7))]"
    }

    fileprivate func isSamePlace(as other: GeoPoint) -> Bool {
        longitude == other.longitude && latitude == other.latitude
    }
}

extension Double {
    /// The number with at most six significant digits, without trailing zeros. A number below
    /// 0.0001 or from 1,000,000 on is written with all digits that Swift prints.
    fileprivate var sixDigits: String {
        if self == 0 { return "0" }
        guard magnitude >= 1e-4, magnitude < 1e6 else { return "\(self)" }
        var (decimals, limit) = (5, 10.0)
        while magnitude >= limit { (decimals, limit) = (decimals - 1, limit * 10) }
        limit = 1
        while magnitude < limit { (decimals, limit) = (decimals + 1, limit / 10) }
        var text = text(decimals: decimals)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return text
    }

    /// The number as text, rounded to `decimals` digits after the decimal point.
    fileprivate func text(decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let digits = String(Int64((magnitude * scale).rounded()))
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = self < 0 ? "-" : ""
        if decimals == 0 { return sign + padded }
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
