import RealmEngine
struct DirectoryExport {
    init(_ r: QueryRequest) {}
    func run() throws(RealmError) -> ExitCode { .ok }
}
