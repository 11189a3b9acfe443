/// Evaluates full-text conditions and geospatial conditions (query language 15 and 20).
extension QueryEvaluator {
    /// Whether the text of the object, or of an object at the end of the path, contains the
    /// searched words.
    func evaluate(_ search: BoundFullText, _ location: RowLocation) throws(RealmError) -> Bool {
        if search.path.hops.isEmpty { return try matches(search, location) }
        let keys = takeKeys()
        defer { returnList(keys) }
        try collectTargets(search.path.hops[...], from: location, .dropped, into: keys)
        for key in keys.keys.all {
            guard let target = try find(key, in: search.path.table) else { continue }
            if try matches(search, target) { return true }
        }
        return false
    }

    private func matches(_ search: BoundFullText, _ location: RowLocation) throws(RealmError)
        -> Bool
    {
        guard case .string(let text) = try location.value(search.column) else {
            return search.terms.matches(nil)
        }
        return search.terms.matches(text)
    }

    func evaluate(_ geo: BoundGeo, _ location: RowLocation) throws(RealmError) -> Bool {
        let keys = takeKeys()
        defer { returnList(keys) }
        try collectTargets(geo.path.hops[...], from: location, .dropped, into: keys)
        var points = 0
        for key in keys.keys.all {
            guard let target = try find(key, in: geo.path.table),
                let point = try point(geo, target)
            else { continue }
            points += 1
            let isInside = geo.region.contains(point)
            switch geo.quantifier ?? .any {
            case .any: if isInside { return true }
            case .all: if !isInside { return false }
            case .none: if isInside { return false }
            }
        }
        switch geo.quantifier ?? .any {
        case .any: return false
        case .all: return points > 0
        case .none: return true
        }
    }

    /// Returns the point stored in an embedded object; nil if its coordinates are missing or
    /// invalid.
    private func point(_ geo: BoundGeo, _ location: RowLocation) throws(RealmError) -> GeoPoint? {
        guard case .string(let type) = try location.value(geo.type), type.count == 5,
            Self.isPoint(type), case .list(let view) = try location.value(geo.coordinates),
            !view.root.isNone
        else { return nil }
        var cursor = elements(of: view, location)
        guard case .double(let longitude)? = try cursor.next(),
            case .double(let latitude)? = try cursor.next()
        else { return nil }
        let point = GeoPoint(longitude: longitude, latitude: latitude)
        return GeoRegion.isValid(point) ? point : nil
    }

    private static func isPoint(_ type: ByteView) -> Bool {
        let word: StaticString = "point"
        for i in 0..<5 where type[i] | 0x20 != word.utf8Start[i] { return false }
        return true
    }
}
