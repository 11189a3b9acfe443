import Testing

@testable import ToolSupport

/// JSON exported by Realm Studio, with links in cycles.
@Suite struct StudioTests {
    private let scratch = ScratchDirectory()

    private static let schema = """
        {"schemaVersion":0,"classes":[
        {"name":"Person","kind":"class","primaryKey":"name","properties":[
        {"name":"name","type":"string","optional":false},{"name":"age","type":"int","optional":false},
        {"name":"friend","type":"object","target":"Person","optional":true},
        {"name":"pets","type":"object","target":"Pet","collection":"list","optional":false}]},
        {"name":"Pet","kind":"class","primaryKey":"id","properties":[
        {"name":"id","type":"int","optional":false},
        {"name":"owner","type":"object","target":"Person","optional":true}]},
        {"name":"Note","kind":"class","primaryKey":null,"properties":[
        {"name":"text","type":"string","optional":false},
        {"name":"next","type":"object","target":"Note","optional":true}]}]}
        """

    private func load(_ json: String, then script: String) -> ToolProcess {
        scratch.write("schema.json", Array(Self.schema.utf8))
        scratch.write("data.json", Array(json.utf8))
        return ToolProcess.shell(
            "cd \(scratch.path); ${TOOL%query}write -q --create --schema-file schema.json -i json "
                + "-m merge app.realm - data.json && \(script)")
    }

    @Test func cyclesOfLinksAreRestored() {
        let run = load(
            #"""
            {"Person":[{"name":"Ann","age":3,"friend":{"name":"Bob","age":4,
            "friend":{"$ref":"Person#Ann"},"pets":[],"$refId":"Person#Bob"},
            "pets":[{"id":7,"owner":{"$ref":"Person#Ann"},"$refId":"Pet#7"}],"$refId":"Person#Ann"},
            {"$ref":"Person#Bob"}],"Pet":[{"$ref":"Pet#7"}]}
            """#, then: "$TOOL --all app.realm")
        #expect(run.errorText == "")
        #expect(
            run.text.split(separator: "\n") == [
                #"{"$class":"Person","name":"Bob","age":4,"friend":"Ann","pets":[]}"#,
                #"{"$class":"Person","name":"Ann","age":3,"friend":"Bob","pets":[7]}"#,
                #"{"$class":"Pet","id":7,"owner":"Ann"}"#,
            ])
    }

    @Test func objectsWithoutPrimaryKeysAreLoaded() {
        let run = load(
            #"{"Note":[{"text":"a","next":{"$ref":"Note#5"},"$refId":"Note#3"},"#
                + #"{"text":"b","next":null,"$refId":"Note#5"}]}"#,
            then: "$TOOL -F text,next.text app.realm Note")
        #expect(
            run.text
                == "{\"text\":\"a\",\"next.text\":\"b\"}\n{\"text\":\"b\",\"next.text\":null}\n")
    }

    @Test(arguments: [
        #"{"Person":[{"$ref":"Pet#7"}]}"#, #"{"Person":[{"$ref":"Person"}]}"#,
        #"{"Pet":[{"$ref":"Pet#x"}]}"#, #"{"Pet":[{"id":1,"owner":{"$ref":"Pet#1"}}]}"#,
        #"{"Note":[{"text":"a","next":{"text":"b","$refId":"Note#5"}}]}"#,
        #"{"Note":[{"text":"a","$refId":"Note#-5"}]}"#,
    ]) func unknownNamesAreRefused(json: String) {
        let run = load(json, then: "true")
        #expect(run.status == 8, "\(run.errorText)")
    }
}
