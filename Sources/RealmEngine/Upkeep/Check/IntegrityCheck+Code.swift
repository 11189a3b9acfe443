extension IntegrityReport {
    /// Kind of contradiction found by a check. Tools print the raw value.
    public enum Code: String, CaseIterable, Sendable {
        // The file (storage format 1 and 4).
        case header
        case fileSize = "file-size"
        case staleSlot = "stale-slot"
        case topArray = "top-array"
        case evacuation
        /// A block of an encrypted file that does not authenticate.
        case block

        // Nodes (storage format 2 and 3).
        case refMisaligned = "ref-misaligned"
        case refOutsideFile = "ref-outside-file"
        case nodeOutsideFile = "node-outside-file"
        case nodeFlags = "node-flags"
        case nodeTooLarge = "node-too-large"
        case nodeShared = "node-shared"
        case nodeOverlap = "node-overlap"
        /// A node whose header states a smaller size than the node seems to have had.
        case nodeEnd = "node-end"
        /// A stored value that is wrong but that no engine reads.
        case unusedValue = "unused-value"
        case signature
        case sectionStraddled = "section-straddled"
        /// A node of the wrong kind for its parent; the nodes below it were not checked.
        case unreadable
        /// The check stopped in a part of the database that exceeds the read budget.
        case incomplete

        // Free space (storage format 5.3).
        case freeListShape = "free-list-shape"
        case freeListOrder = "free-list-order"
        case freeChunk = "free-chunk"
        case freeChunkEmpty = "free-chunk-empty"
        case freeOverlap = "free-overlap"
        case freeStamp = "free-stamp"
        case freeOverlapsLive = "free-overlaps-live"
        case leakedSpace = "leaked-space"

        // Tables and columns (object format 1).
        case tableDirectory = "table-directory"
        case tableName = "table-name"
        case removedTableName = "removed-table-name"
        case tableKey = "table-key"
        case tableTop = "table-top"
        case spec
        case columnName = "column-name"
        case columnKey = "column-key"
        case columnAttributes = "column-attributes"
        case opposite
        case primaryKey = "primary-key"
        case primaryKeyDuplicate = "primary-key-duplicate"
        case enumeration
        case collisionMap = "collision-map"
        /// An engine was interrupted while it upgraded the file from format 9 to 10.
        case unfinishedUpgrade = "unfinished-upgrade"

        // Clusters (object format 2).
        case clusterShape = "cluster-shape"
        case clusterDepth = "cluster-depth"
        case clusterOrder = "cluster-order"
        case clusterRange = "cluster-range"
        case clusterCount = "cluster-count"
        case clusterEmpty = "cluster-empty"
        case clusterHole = "cluster-hole"
        case keyWidth = "key-width"
        case objectKey = "object-key"
        case columnMissing = "column-missing"
        case columnCount = "column-count"
        /// The cluster trees have at most four elements in each node, as test builds of the
        /// reference engine make them. Other programs read wrong object keys from such trees.
        case fanOut = "fan-out"

        // Leaves (object format 3).
        case leafShape = "leaf-shape"
        case nullMarker = "null-marker"
        case nullInRequired = "null-in-required"
        case boolValue = "bool-value"
        case stringForm = "string-form"
        case stringUTF8 = "string-utf8"
        case timestampForm = "timestamp-form"
        case decimalForm = "decimal-form"
        case mixedWord = "mixed-word"
        case mixedPool = "mixed-pool"

        // Collections (object format 4).
        case treeShape = "tree-shape"
        case treeTotal = "tree-total"
        case treeCompact = "tree-compact"
        case treeForm = "tree-form"
        case treeOffsets = "tree-offsets"
        case treeDepth = "tree-depth"
        case treeEmptyLeaf = "tree-empty-leaf"
        case leafCount = "leaf-count"
        case oversizedNode = "oversized-node"
        case setOrder = "set-order"
        case setOrderFragile = "set-order-fragile"
        case dictionaryShape = "dictionary-shape"
        case dictionaryOrder = "dictionary-order"
        case dictionaryOrderLegacy = "dictionary-order-legacy"
        case collectionKey = "collection-key"
        case collectionKeyMissing = "collection-key-missing"
        case nesting
        case linkContext = "link-context"
        case linkContextUnneeded = "link-context-unneeded"

        // Links (object format 6).
        case linkTarget = "link-target"
        case backlinkForm = "backlink-form"
        case backlinkMissing = "backlink-missing"
        case backlinkExtra = "backlink-extra"
        case backlinkStale = "backlink-stale"
        case backlinkOrphan = "backlink-orphan"
        case tombstoneLink = "tombstone-link"
        case tombstoneUnlinked = "tombstone-unlinked"
        case embeddedParent = "embedded-parent"

        // Indexes (object format 5).
        case indexMissing = "index-missing"
        case indexUnexpected = "index-unexpected"
        case indexType = "index-type"
        case indexShape = "index-shape"
        case indexOrder = "index-order"
        case indexList = "index-list"
        case indexListOrder = "index-list-order"
        case indexListOrderLegacy = "index-list-order-legacy"
        case indexMismatch = "index-mismatch"
        case indexMissingObject = "index-missing-object"
        case indexExtraObject = "index-extra-object"
        case indexStale = "index-stale"

        // History (storage format 7).
        case historyType = "history-type"
        case historyCount = "history-count"
        case historyNull = "history-null"
        case changeset

        /// Whether a finding of this kind means that the nodes below were not read. Totals are then
        /// too small.
        var hidesContent: Bool {
            switch self {
            case .unreadable, .incomplete, .clusterShape, .clusterDepth, .columnMissing,
                .columnCount, .leafShape, .stringForm, .timestampForm, .mixedWord, .mixedPool,
                .treeShape, .treeDepth, .dictionaryShape, .nesting:
                true
            default: false
            }
        }

        /// An error makes some reader or writer fail or return wrong results. If a file has only
        /// warnings, the reference engine reads and writes it correctly.
        public var severity: Severity {
            switch self {
            case .fileSize, .staleSlot, .evacuation, .block, .signature, .unusedValue,
                .sectionStraddled, .freeListOrder, .freeChunkEmpty, .freeStamp, .leakedSpace,
                .unfinishedUpgrade, .clusterHole, .fanOut, .stringUTF8, .treeForm, .treeEmptyLeaf,
                .oversizedNode, .setOrderFragile, .dictionaryOrderLegacy, .collectionKeyMissing,
                .linkContextUnneeded, .backlinkForm, .backlinkStale, .backlinkOrphan,
                .tombstoneLink, .tombstoneUnlinked, .indexMissing, .indexUnexpected,
                .indexListOrderLegacy, .indexStale, .historyCount:
                .warning
            default: .error
            }
        }
    }
}
