/// `--against`.
enum BenchPeer: String, CaseIterable {
    case sqlite3
    case inverse = "sqlite3-inverse"
}
