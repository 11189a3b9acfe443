/// A geospatial condition: the operator GEOWITHIN (query language 20).
final class BoundGeo: Sendable {
    /// Path to the embedded objects that store the points to be tested.
    let path: BoundPath
    let quantifier: QueryQuantifier?
    let type: BoundColumn
    let coordinates: BoundColumn
    let region: GeoRegion

    init(
        _ path: BoundPath, _ quantifier: QueryQuantifier?, type: BoundColumn,
        coordinates: BoundColumn, _ region: GeoRegion
    ) {
        self.path = path
        self.quantifier = quantifier
        self.type = type
        self.coordinates = coordinates
        self.region = region
    }
}
