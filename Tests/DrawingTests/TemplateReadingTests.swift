import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Drawing

@Suite("Reading templates")
struct TemplateReadingTests {
    private static let text =
        #""type":"text","text":"x","font":"Cabin","size":"4s","at":["1s","1s"],"paint":[{"fill":"ink"}]"#

    /// Layers that are wrong in their structure, and what the message must name.
    static let faults: [(layer: String, told: String)] = [
        (#"{\#(text),"colour":"red"}"#, "layers[0].colour is unknown"),
        (#"{"type":"text","text":"x","size":"4s","at":["1s","1s"],"paint":[]}"#, #"lacks the member "font""#),
        (#"{\#(text),"weight":"bold"}"#, "layers[0].weight must be a number"),
        (#"{\#(text),"weight":4000}"#, "must be 100 to 1000"),
        (#"{\#(text),"fit":{"width":"4q"}}"#, "layers[0].fit.width must be a length"),
        (#"{\#(text),"fit":{"width":"4w","grow":true}}"#, "layers[0].fit.grow is unknown"),
        (#"{\#(text),"when":"sunny"}"#, #"knows no "sunny""#),
        (#"{\#(text),"when":["position",3]}"#, "must be a string"),
        (#"{\#(text),"anchor":"middle"}"#, "layers[0].anchor must be one of"),
        (#"{\#(text),"segments":[]}"#, #"both "text" and "segments""#),
        (#"{"type":"star"}"#, "layers[0].type must be one of"),
        (#"{"type":"band","edge":"bottom","size":"4s"}"#, #"lacks the member "fill""#),
        (#"{"type":"rule","at":["1s"],"length":"1s","thickness":"1s","fill":"ink"}"#, "layers[0].at must have two"),
        (#"{"type":"image","file":"../x.png","at":["1s","1s"],"width":"4s"}"#, "layers[0].file must name a .png"),
        (#"{"type":"image","file":"/x.png","at":["1s","1s"],"width":"4s"}"#, "layers[0].file must name a .png"),
        (#"{"type":"image","file":"x.png","at":["1s","1s"]}"#, #"lacks a "width" or a "height""#),
        (
            #"{"type":"panel","at":["1s","1s"],"width":"4s","height":"4s","paint":[{}]}"#,
            "layers[0].paint[0] must have exactly one"
        ),
        (
            #"{"type":"panel","at":["1s","1s"],"width":"4s","height":"4s","paint":[{"fill":"ink","stroke":"ink","width":"1s"}]}"#,
            "exactly one"
        ),
        (
            #"{"type":"panel","at":["1s","1s"],"width":"4s","height":"4s","paint":[{"fill":{"stops":[]}}]}"#,
            "must have two stops"
        ),
        (#"{"type":"group","layers":[{"type":"group","layers":[],"x":1}]}"#, "layers[0].layers[0].x is unknown"),
        (#"7"#, "layers[0] must be an object"),
    ]

    /// Layers whose fault lies in what a name or a text means, which a schema does not see.
    static let meanings: [(layer: String, told: String)] = [
        (#"{\#(text),"style":"none"}"#, #"names no style: "none""#),
        (#"{"type":"path","shape":"none","at":["1s","1s"],"width":"4s","paint":[]}"#, #"names no shape: "none""#),
        (
            #"{"type":"path","data":"L1 1","viewBox":[0,0,1,1],"at":["1s","1s"],"width":"4s","paint":[]}"#,
            "is not path data"
        ),
        (#"{"type":"band","edge":"bottom","size":"4s","fill":"sky"}"#, #"is "sky""#),
        (
            #"{"type":"text","text":"{weather}","font":"Cabin","size":"4s","at":["1s","1s"],"paint":[]}"#,
            "no variable {weather}"
        ),
    ]

    @Test("a fault is told with its path", arguments: faults + meanings)
    func fault(layer: String, told: String) throws {
        let error = #expect(throws: DrawingError.self) { try template(layer) }
        #expect(error?.code == .template)
        #expect(error?.message.contains(told) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasPrefix("line 1: ") == true)
    }

    @Test(
        "a card in Spanish has the station's words in Spanish, and the greeting as it is",
        arguments: ["vintage", "band", "frame", "panorama"])
    func spanish(name: String) throws {
        let file = "\(shippedFolder)/\(name).json"
        let template = try Template(parsing: Array(Data(contentsOf: URL(fileURLWithPath: file))))
        var facts = PostcardFacts(
            place: "Kings Creek", time: CivilTime(year: 2026, month: 9, day: 5, hour: 0, minute: 7, second: 9),
            coordinate: Coordinate(latitude: 39.1, longitude: -96.6), message: "Hello", isPositionRecorded: true)
        let english = try texts(template, facts)
        facts.language = "es"
        let spanish = try texts(template, facts)
        #expect(english.contains("September 5, 2026") && english.contains("recorded") && english.contains("00″ W"))
        #expect(spanish.contains("5 de septiembre de 2026") && spanish.contains("grabada") && spanish.contains("00″ O"))
        for text in [english, spanish] { #expect(text.contains("Greetings from") && text.contains("Kings Creek")) }
    }

    private func texts(_ template: Template, _ facts: PostcardFacts) throws -> String {
        try Composer.texts(template.layers, facts, Metrics(width: 1920, height: 1080)).compactMap { $0 }
            .joined(separator: "\n").replacing("\u{00A0}", with: " ")
    }

    @Test(
        "a translation that nothing would show is refused",
        arguments: [
            (#"{"es":{"Hello":"Hola"}}"#, "translates what no text says"), (#"{"fr":{}}"#, "is no language"),
            (#"{"es":{"A":7}}"#, "must be a text"),
            (#"{"es":{"A":"{x}"}}"#, "cannot be read"),
            (#"7"#, "must be an object"),
        ])
    func translations(member: String, told: String) {
        let text =
            #"{"name":"a","title":"A","translations":\#(member),"layers":[{"type":"text","text":"A","font":"Cabin","size":"4s","at":["1s","1s"],"paint":[]}]}"#
        let error = #expect(throws: DrawingError.self) { try Template(parsing: Array(text.utf8)) }
        #expect(error?.message.contains(told) == true, "\(error?.message ?? "")")
    }

    @Test("a fault is told with its line")
    func line() throws {
        let json = "{\n\"name\": \"a\",\n\"title\": \"A\",\n\"layers\": [\n{\"type\": \"band\"}\n]}"
        #expect(throws: DrawingError(.template, "line 5: layers[0] lacks the member \"edge\"")) {
            try Template(parsing: json)
        }
    }

    @Test(
        "what is no JSON is refused with its line",
        arguments: [
            ("", "line 1: "), ("{\n\"a\" 1}", "line 2: \":\""), ("{\"a\":1,\"a\":2}", "is there twice"),
            ("[1,]", "value"),
            ("{\"a\":01}", "value"), ("\"\u{1}\"", "control character"), ("\"\\ud800\"", "surrogate"),
            (String(repeating: "[", count: 100), "nested"), ("1 2", "after the end"), ("\"\\u+123\"", "hexadecimal"),
        ])
    func syntax(json: String, told: String) {
        let error = #expect(throws: DrawingError.self) { try Template(parsing: json) }
        #expect(error?.message.contains(told) == true, "\(error?.message ?? "")")
    }

    @Test("bytes that are no UTF-8 are refused")
    func encoding() {
        #expect(throws: DrawingError.self) { try Template(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test("an escape in a string has four hexadecimal digits", arguments: ["-041", "+041", " 041", "00 1", "d800"])
    func escapes(digits: String) throws {
        #expect(throws: JSONNode.SyntaxError.self) { try JSONNode.parse(Array("\"\\u\(digits)\"".utf8)) }
        guard case .string("A") = try JSONNode.parse(Array("\"\\u0041\"".utf8)).value else {
            Issue.record("an escape is not read")
            return
        }
    }

    @Test("a faulty style is told even while no layer uses it")
    func style() {
        let error = #expect(throws: DrawingError.self) {
            try template("", #""styles":{"big":{"size":"4s","wieght":700}},"#)
        }
        #expect(error?.message.contains("styles.big.wieght is unknown") == true)
    }

    @Test("a template with too many layers is refused")
    func limit() {
        let layer = #"{"type":"group","layers":[]}"#
        #expect(throws: DrawingError.self) {
            try template(Array(repeating: layer, count: TemplateReader.layerLimit + 1).joined(separator: ","))
        }
    }

    /// Runs Python's jsonschema over documents: for each, whether the schema takes it.
    private func schemaVerdicts(_ documents: [String]) throws -> [Bool] {
        let script = """
            import json, jsonschema, sys
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            for line in sys.stdin:
                print(1 if validator.is_valid(json.loads(json.loads(line))) else 0)
            """
        let lines = try documents.map { try JSONEncoder().encode($0) + Data("\n".utf8) }
        let run = try ProgramRun(
            "/usr/bin/python3", ["-c", script, "\(shippedFolder)/template.schema.json"], input: Data(lines.joined()))
        return run.text.split(separator: "\n").map { $0 == "1" }
    }

    @Test("the schema refuses every structural fault and takes what the parser takes")
    func schema() throws {
        let good = [
            Self.text, #""type":"group","layers":[{"type":"band","edge":"top","size":"4s","fill":"ink","linen":4}]"#,
            #""type":"rule","at":["1s","2w - 1h"],"length":"5s","thickness":"1s","direction":"vertical","fill":"ink""#,
            #""type":"image","file":"a/b.png","at":["0s","0s"],"height":"4s","opacity":0.5,"when":["!portrait","recorded"]"#,
            #""type":"path","data":"M0 0 L1 1","viewBox":[0,0,1,1],"at":["0s","0s"],"width":"4s","paint":[{"bevel":"ink","x":"1e","y":"1e"},{"inside":[]}]"#,
        ].map { "{\($0)}" }
        func whole(_ layer: String) -> String {
            ##"{"name":"test","title":"Test","colors":{"ink":"#000"},"layers":[\##(layer)]}"##
        }
        var documents = good.map(whole) + Self.faults.map { whole($0.layer) }
        documents += [
            #"{"name":"Test","title":"T","layers":[]}"#, #"{"name":"t","layers":[]}"#, #"{"name":"t","title":"T"}"#,
            #"{"name":"t","title":"T","layers":[],"colors":{"a":"red"}}"#, #"{"name":"t","title":"T","layers":{}}"#,
            #"{"name":"t","title":"T","layers":[],"author":"x"}"#,
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: shippedFolder)
        for name in names where name.hasSuffix(".json") && name != "template.schema.json" {
            documents.append(try String(contentsOfFile: "\(shippedFolder)/\(name)", encoding: .utf8))
        }
        let verdicts = try schemaVerdicts(documents)
        #expect(verdicts.count == documents.count)
        for (document, verdict) in zip(documents, verdicts) {
            let isRead = (try? Template(parsing: document)) != nil
            #expect(isRead == verdict, "\(document.prefix(300))")
        }
    }
}

@Suite("The template library")
struct TemplateLibraryTests {
    private let small = #"{"name":"small","title":"Small","layers":[]}"#

    @Test("the shipped templates are all readable, and a wrong name lists the right ones")
    func shippedOnes() throws {
        let library = TemplateLibrary(folders: [shippedFolder])
        #expect(library.problems.isEmpty)
        #expect(library.templates.map(\.name) == ShippedTemplates.names.sorted())
        let error = #expect(throws: DrawingError.self) { try library.template(named: "cubist") }
        #expect(error?.code == .unknownTemplate)
        #expect(error?.message.contains(library.templates.map(\.name).joined(separator: ", ")) == true)
    }

    @Test("of two templates of one name the earlier folder's is used, and a broken one leaves the place to the later's")
    func precedence() throws {
        try withFolder { folder in
            let file = folder.appending(path: "band.json")
            let own = small.replacing("\"small\"", with: "\"band\"")
            try Data(own.utf8).write(to: file)
            let folders = [folder.path, shippedFolder]
            #expect(try TemplateLibrary(folders: folders).template(named: "band").title == "Small")
            let title = try shipped("band").title
            #expect(try TemplateLibrary(folders: folders.reversed()).template(named: "band").title == title)
            try Data("{".utf8).write(to: file)
            let library = TemplateLibrary(folders: folders)
            #expect(library.problems.count == 1)
            #expect(try library.template(named: "band").title == title)
        }
    }

    @Test("the folders are read when a template is first asked for, and then no more")
    func onDemand() throws {
        try withFolder { folder in
            let library = TemplateLibrary(folders: [folder.path])
            let file = folder.appending(path: "small.json")
            try Data(small.utf8).write(to: file)
            #expect(try library.template(named: "small").title == "Small")
            try FileManager.default.removeItem(at: file)
            #expect(library.problems.isEmpty)
            #expect(library.templates.map(\.name) == ["small"])
        }
    }

    @Test("a template that breaks stays as it was")
    func reload() throws {
        try withFolder { folder in
            let file = folder.appending(path: "small.json")
            try Data(small.utf8).write(to: file)
            let library = TemplateLibrary(folders: [shippedFolder, folder.path])
            #expect(library.templates.count == ShippedTemplates.names.count + 1)
            try Data("{\n!".utf8).write(to: file)
            let problems = library.reload()
            #expect(problems.count == 1)
            #expect(problems.first?.message.contains("\(file.path): line 2") == true)
            #expect(try library.template(named: "small").title == "Small")
            try FileManager.default.removeItem(at: file)
            library.reload()
            #expect(library.templates.count == ShippedTemplates.names.count)
        }
    }

    @Test("a file whose name is not its template's is told")
    func wrongName() throws {
        try withFolder { folder in
            try Data(small.utf8).write(to: folder.appending(path: "large.json"))
            #expect(
                TemplateLibrary(folders: [folder.path]).problems.first?.message.contains("named as its file") == true)
        }
    }

    @Test("a folder that is not there is told")
    func noFolder() {
        #expect(TemplateLibrary(folders: ["/nonexistent/folder"]).problems.first?.code == .file)
    }
}
