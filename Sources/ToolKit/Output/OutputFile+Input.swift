import Glibc
import RealmEngine

extension OutputFile {
    /// Throws `misuse` if writing to `target` would overwrite the database at `path`.
    package static func check(_ target: String?, against path: String) throws(RealmError) {
        var (source, output) = (stat(), stat())
        guard let target, stat(target, &output) == 0, stat(path, &source) == 0,
            source.st_ino == output.st_ino, source.st_dev == output.st_dev
        else { return }
        throw .misuse(
            "\(target == path ? "the output" : target) would replace the database itself",
            code: "InvalidArgument", reason: "output-is-input")
    }
}
