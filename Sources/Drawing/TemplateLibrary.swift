internal import Synchronization

/// The templates of some folders, by name. Of two of the same name the one in the earlier folder is used.
public final class TemplateLibrary: Sendable {
    private struct State {
        var templates: [String: Template] = [:]
        var problems: [DrawingError] = []
    }

    private let folders: [String]
    /// What was read last; nil before the first time.
    private let state = Mutex<State?>(nil)

    /// Every `*.json` file of the folders, other than `*.schema.json`; they are read when a template is first asked for, or by
    /// ``reload()``.
    public init(folders: [String]) { self.folders = folders }

    /// Reads the folders again. A template that has become unreadable stays as it was last read.
    ///
    /// - Returns: what could not be read, each with its file, line and path.
    @discardableResult
    public func reload() -> [DrawingError] {
        // The first time whoever asks for a template meanwhile waits, and does not read them, too.
        guard let before = state.withLock({ $0?.templates }) else { return current.problems }
        let found = read(before: before)
        state.withLock { $0 = found }
        return found.problems
    }

    /// Whoever asks first reads them; others wait for it.
    private var current: State {
        state.withLock { state in
            let found = state ?? read(before: [:])
            state = found
            return found
        }
    }

    private func read(before: [String: Template]) -> State {
        var found = State()
        var settled: Set<String> = []
        for folder in folders {
            do throws(DrawingError) {
                for name in try Files.names(in: folder) where name.hasSuffix(".json") && !name.hasSuffix(".schema.json")
                {
                    let stem = String(name.dropLast(5))
                    guard !settled.contains(stem) else { continue }
                    do throws(DrawingError) {
                        found.templates[stem] = try Self.read("\(folder)/\(name)", stem, folder)
                    } catch {
                        found.problems.append(error)
                        found.templates[stem] = before[stem]
                    }
                    if found.templates[stem] != nil { settled.insert(stem) }
                }
            } catch {
                found.problems.append(error)
            }
        }
        return found
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
        current.templates.values.sorted { $0.name < $1.name }
    }

    /// What the last reading could not read.
    public var problems: [DrawingError] { current.problems }

    /// The template of a name.
    ///
    /// - Throws: `DrawingError` with `unknownTemplate`, which lists the names there are.
    public func template(named name: String) throws(DrawingError) -> Template {
        let templates = current.templates
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
