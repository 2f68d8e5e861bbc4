internal import Synchronization

/// The templates of some folders, by name. Of two of the same name the one in the earlier folder is used.
public final class TemplateLibrary: Sendable {
    private struct State {
        var templates: [String: Template] = [:]
        var problems: [DrawingError] = []
    }

    private let folders: [String]
    private let state: Mutex<State>

    /// Reads every `*.json` file of the folders, other than `*.schema.json`.
    public init(folders: [String]) {
        self.folders = folders
        state = Mutex(State())
        reload()
    }

    /// Reads the folders again. A template that has become unreadable stays as it was last read.
    ///
    /// - Returns: what could not be read, each with its file, line and path.
    @discardableResult
    public func reload() -> [DrawingError] {
        var found: [String: Template] = [:]
        var problems: [DrawingError] = []
        let before = state.withLock { $0.templates }
        var settled: Set<String> = []
        for folder in folders {
            do throws(DrawingError) {
                for name in try Files.names(in: folder) where name.hasSuffix(".json") && !name.hasSuffix(".schema.json")
                {
                    let stem = String(name.dropLast(5))
                    guard !settled.contains(stem) else { continue }
                    do throws(DrawingError) {
                        found[stem] = try Self.read("\(folder)/\(name)", stem, folder)
                    } catch {
                        problems.append(error)
                        found[stem] = before[stem]
                    }
                    if found[stem] != nil { settled.insert(stem) }
                }
            } catch {
                problems.append(error)
            }
        }
        state.withLock { state in
            state.templates = found
            state.problems = problems
        }
        return problems
    }

    private static func read(_ path: String, _ stem: String, _ folder: String) throws(DrawingError) -> Template {
        let bytes = try Files.read(path, limit: Template.sizeLimit)
        let template: Template
        do throws(DrawingError) {
            template = try Template(parsing: bytes, folder: folder)
        } catch {
            throw DrawingError(error.code, "cannot read the template \(path): \(error.message)")
        }
        guard template.name == stem else {
            throw DrawingError(
                .template,
                "cannot read the template \(path): its name is \"\(template.name)\"; a template is named as its file")
        }
        return template
    }

    /// The templates in the order of their names.
    public var templates: [Template] {
        state.withLock { $0.templates.values.sorted { $0.name < $1.name } }
    }

    /// What the last reading could not read.
    public var problems: [DrawingError] { state.withLock { $0.problems } }

    /// The template of a name.
    ///
    /// - Throws: `DrawingError` with `unknownTemplate`, which lists the names there are.
    public func template(named name: String) throws(DrawingError) -> Template {
        let templates = state.withLock { $0.templates }
        guard let template = templates[name] else {
            let names = templates.keys.sorted().joined(separator: ", ")
            throw DrawingError(
                .unknownTemplate,
                "cannot use the template \"\(name)\": there is none of that name; the templates are "
                    + (names.isEmpty ? "none: check the folders" : names))
        }
        return template
    }
}
