/// Slots of a spec, which describes the columns of a table. The slots reference arrays with one
/// element for each column; properties come first, then backlink columns (object format 1.3). Up to
/// format 9, more slots describe subtables.
enum SpecShape {
    /// Ref of the numbers of the types. In a dictionary column, bits 16 and higher are the type of
    /// the keys.
    static let types = 0
    /// Ref of an array with the names of the properties, each padded to the same width. Backlink
    /// columns have no name.
    static let names = 1
    /// Ref of the attributes (`ColumnAttributes`).
    static let attributes = 2
    /// Always 0. Up to format 9, the ref of the specs of subtables.
    static let unused = 3
    static let legacySubspecs = 3
    /// Ref of an array with an element per property: the ref of the distinct values of an
    /// enumerated column, otherwise 0. The slot is 0 if no column is enumerated. Up to format 9,
    /// the ref of the target tables of links.
    static let enumerations = 4
    static let legacyKeys = 4
    /// Ref of the column keys. Exists from format 10 on.
    static let keys = 5

    static let count = 6
    static let minimumLegacyCount = 3
    static let maximumLegacyCount = 5

    /// Slots that contain a ref in every spec.
    static let required = [types, names, attributes, keys]
    /// Slots of a spec that may contain a ref.
    static let refs = [types, names, attributes, enumerations, keys]
}
