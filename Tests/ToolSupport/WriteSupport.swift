import RealmEngine

@testable import ToolKit

/// A scratch directory for databases that are made by realm-write.
final class WriteLab {
    let scratch = ScratchDirectory()

    func path(_ name: String) -> String { scratch.file(name) }

    /// Runs a script in the directory; `$Q`, `$W` and `$C` are the paths of realm-query, realm-write
    /// and realm-compact.
    func shell(_ script: String) -> ToolProcess {
        ToolProcess.shell(
            "W=$TOOL; Q=${TOOL%write}query; C=${TOOL%write}compact; cd '\(scratch.path)'; "
                + script, tool: "realm-write")
    }

    @discardableResult
    func write(_ name: String, _ text: String) -> String {
        scratch.write(name, Array(text.utf8))
    }

    func text(_ name: String) -> String {
        String(decoding: contents(of: path(name)) ?? [], as: UTF8.self)
    }

    /// Makes `zoo.realm` with the classes Animal (with a primary key), Cage (without one) and Tag
    /// (embedded).
    func makeZoo() -> ToolProcess {
        write("zoo.json", Self.schema)
        return shell("$W -q --create --schema-file zoo.json zoo.realm")
    }

    private static let schema = """
        {"schemaVersion":3,"classes":[
        {"name":"Animal","kind":"class","primaryKey":"id","properties":[
        {"name":"id","type":"int"},
        {"name":"name","type":"string","optional":true,"indexed":true},
        {"name":"weight","type":"double"},
        {"name":"born","type":"date","optional":true},
        {"name":"mother","type":"object","target":"Animal","optional":true},
        {"name":"friends","type":"object","target":"Animal","collection":"list"},
        {"name":"names","type":"string","collection":"set"},
        {"name":"scores","type":"int","collection":"dictionary"},
        {"name":"tag","type":"object","target":"Tag","optional":true},
        {"name":"any","type":"mixed","optional":true}]},
        {"name":"Cage","properties":[
        {"name":"inmate","type":"object","target":"Animal","optional":true},
        {"name":"next","type":"object","target":"Cage","optional":true}]},
        {"name":"Tag","kind":"embedded","properties":[
        {"name":"text","type":"string"},
        {"name":"owner","type":"object","target":"Animal","optional":true}]}]}
        """
}
