import Foundation
import KonzaTesting
import Storage
import Testing

@Suite("A folder of content that an operator writes")
struct ContentFolderTests {
    private let folder: TemporaryFolder
    private let content: ContentFolder<String>

    init() throws {
        folder = try TemporaryFolder()
        content = ContentFolder(
            "\(folder.path)/pages",
            ContentRule(endings: ["md"], beside: ["jpg"], depth: 1, mostFiles: 5, mostBytes: 100)
        ) { _, bytes, _ throws(ContentError) in
            let text = String(decoding: bytes, as: UTF8.self)
            guard !text.hasPrefix("bad") else { throw ContentError(line: 1, "it is bad; write something good") }
            return text
        }
    }

    private func write(_ name: String, _ text: String) throws {
        let file = URL(fileURLWithPath: "\(folder.path)/pages/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
    }

    @Test("is empty while it is not there, and picked up when it is")
    func absent() throws {
        #expect(!content.refresh())
        #expect(content.contents.items.isEmpty && content.contents.faults.isEmpty)
        try write("en/about.md", "one")
        try write("en/about.txt", "no")
        try write("en/deep/about.md", "no")
        try write(".hidden.md", "no")
        #expect(content.refresh())
        #expect(content.contents.items == ["en/about.md": "one"])
        #expect(!content.refresh())
    }

    @Test("names what it does not read, with the names that it does; hidden files and backups are passed over")
    func unknown() throws {
        for name in ["about", "#1"] { try write("en/\(name).md", "good") }
        for name in [
            ".about.md.swp", "en/about.md~", "en/#about.md#", "en/about.swp", "en/about.md.dpkg-dist", "en/about.bak",
        ] { try write(name, "left behind") }
        try write("en/bison.JPG", "beside")
        #expect(content.refresh() && content.contents.faults.isEmpty)
        try write("en/about.txt", "no")
        try write("en/deep/about.md", "no")
        try write("notes.markdown", "no")
        #expect(content.refresh() && content.contents.items == ["en/about.md": "good", "en/#1.md": "good"])
        let name = "it is not read, as its name is none of *.md; rename it, or take it away"
        #expect(
            content.contents.faults.map(\.description)
                == [
                    "en/about.txt: \(name)",
                    "en/deep: it is a folder, in which nothing is looked for; move what it has to where it lies, or take it away",
                    "notes.markdown: \(name)",
                ].map { "cannot use \(folder.path)/pages/\($0)" })
        #expect(!content.refresh())
    }

    @Test("that is a link itself is not followed, is named, and has what it had")
    func linked() throws {
        try write("en/about.md", "good")
        content.refresh()
        let pages = "\(folder.path)/pages"
        try FileManager.default.moveItem(atPath: pages, toPath: "\(folder.path)/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: pages, withDestinationPath: "elsewhere")
        try Data("other".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/elsewhere/en/more.md"))
        #expect(content.refresh() && content.contents.items == ["en/about.md": "good"])
        #expect(content.contents.faults.map(\.file).contains(pages))
        #expect(content.contents.faults.first?.error.detail.hasPrefix("it is a symbolic link, which is not") == true)
        #expect(!content.refresh())
    }

    @Test("names links to files and folders, which are not followed, with what to do")
    func links() throws {
        try write("en/about.md", "good")
        try write("en/linked.md", "good")
        content.refresh()
        let pages = "\(folder.path)/pages"
        let manager = FileManager.default
        try manager.removeItem(atPath: "\(pages)/en/linked.md")
        for (link, to) in [("en/linked.md", "about.md"), ("es", "en"), ("en/picture.png", "nowhere")] {
            try manager.createSymbolicLink(atPath: "\(pages)/\(link)", withDestinationPath: to)
        }
        #expect(content.refresh())
        #expect(content.contents.items == ["en/about.md": "good", "en/linked.md": "good"], "as it was before")
        #expect(
            content.contents.faults.map { String($0.file.dropFirst(pages.count + 1)) }
                == ["en/picture.png", "es", "en/linked.md"])
        #expect(content.contents.faults.allSatisfy { $0.error.detail.contains("put the file or the folder itself") })
        #expect(!content.refresh())
    }

    @Test("keeps what was read before of a file that has become bad, and names it with line and remedy")
    func lastGood() throws {
        try write("about.md", "good")
        try write("other.md", "bad from the first")
        content.refresh()
        #expect(content.contents.items == ["about.md": "good"])
        #expect(content.contents.faults.map(\.isKept) == [false])
        try write("about.md", "bad now")
        #expect(content.refresh())
        #expect(content.contents.items == ["about.md": "good"])
        #expect(
            content.contents.faults.first?.description
                == "cannot use \(folder.path)/pages/about.md at line 1: it is bad; write something good"
                + "; what was read of it before is used on")
        #expect(!content.refresh())
        try write("about.md", "better")
        try write("other.md", "well")
        #expect(content.refresh())
        #expect(content.contents.items == ["about.md": "better", "other.md": "well"])
        #expect(content.contents.faults.isEmpty)
        try FileManager.default.removeItem(atPath: "\(folder.path)/pages/about.md")
        #expect(content.refresh())
        #expect(content.contents.items == ["other.md": "well"])
    }

    @Test("has bounds: of a file, of their number; and waits for no FIFO")
    func bounds() throws {
        try write("a.md", "small")
        try write("b.md", String(repeating: "x", count: 101))
        #expect(unsafe mkfifo("\(folder.path)/pages/c.md", 0o600) == 0)
        content.refresh()
        #expect(content.contents.items == ["a.md": "small"])
        #expect(content.contents.faults.map(\.file).map { $0.suffix(4) } == ["b.md", "c.md"])
        for name in ["d", "e", "f"] { try write("\(name).md", name) }
        content.refresh()
        #expect(content.contents.items.count == 3)
        #expect(content.contents.faults.contains { $0.error.detail.hasPrefix("it has more than 5 files") })
    }
}
