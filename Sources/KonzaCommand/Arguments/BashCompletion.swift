/// The completion for bash, made from the declarations.
enum BashCompletion {
    static var script: String {
        """
        # Completion of konza(1) for bash(1), made from the declarations of its commands.

        _konza() {
            local word previous path="" index
            COMPREPLY=()
            word=${COMP_WORDS[COMP_CWORD]}
            previous=${COMP_WORDS[COMP_CWORD-1]}
            for ((index = 1; index < COMP_CWORD; index++)); do
                case "$path ${COMP_WORDS[index]}" in
        \(pathCases)
                esac
            done
            case "$path $previous" in
        \(valueCases)
            esac
            if [[ $word == -* ]]; then
                case $path in
        \(optionCases)
                    *) COMPREPLY=($(compgen -W "\(options(CommandCatalogue.common))" -- "$word")) ;;
                esac
                return
            fi
            case $path in
                "") COMPREPLY=($(compgen -W "\(names(CommandCatalogue.commands))" -- "$word")) ;;
                " help") COMPREPLY=($(compgen -W "\(names(CommandCatalogue.commands))" -- "$word")) ;;
        \(verbCases)
            esac
        }

        complete -F _konza konza

        """
    }

    private static func names(_ commands: [CommandDeclaration]) -> String {
        commands.compactMap(\.path.last).joined(separator: " ")
    }

    private static func options(_ options: [OptionDeclaration]) -> String {
        options.flatMap { [$0.short.map { "-\($0)" }, "--\($0.name)"].compactMap { $0 } }.joined(separator: " ")
    }

    /// How the script writes a command: a blank before each word.
    private static func key(_ command: CommandDeclaration) -> String { command.path.map { " \($0)" }.joined() }

    private static var pathCases: String {
        CommandCatalogue.all.map { "            \"\(key($0))\") path=\"\(key($0))\" ;;" }.joined(separator: "\n")
    }

    private static var optionCases: String {
        CommandCatalogue.all.map { command in
            "            \"\(key(command))\") "
                + "COMPREPLY=($(compgen -W \"\(options(command.allOptions))\" -- \"$word\")) ;;"
        }.joined(separator: "\n")
    }

    private static var verbCases: String {
        CommandCatalogue.all.compactMap { command in
            let words = command.verbs.compactMap(\.path.last) + command.operands.flatMap(\.kind.words)
            var parts = words.isEmpty ? [] : ["-W \"\(words.joined(separator: " "))\""]
            if command.operands.contains(where: { $0.kind == .file }) { parts.append("-f") }
            guard !parts.isEmpty else { return nil }
            return "        \"\(key(command))\") "
                + "COMPREPLY=($(compgen \(parts.joined(separator: " ")) -- \"$word\")) ;;"
        }.joined(separator: "\n")
    }

    /// What follows an option that takes a value: by the option alone where it takes the same in every command.
    private static var valueCases: String {
        var cases: [String] = []
        var seen: Set<String> = []
        let everyCommand = CommandCatalogue.common.map { (path: nil as String?, option: $0) }
        let all =
            everyCommand
            + CommandCatalogue.all.flatMap { command in command.options.map { (key(command), $0) } }
        for (_, option) in all where option.value != nil && seen.insert(option.name).inserted {
            let namesakes = all.filter { $0.option.name == option.name && $0.option.value != nil }
            let actions = Set(namesakes.map { action($0.option) })
            if let only = actions.first, actions.count == 1 {
                cases.append(valueCase(option, "*", only))
            } else {
                cases += namesakes.map { valueCase($0.option, $0.path.map { "\"\($0)\"" } ?? "*", action($0.option)) }
            }
        }
        return cases.joined(separator: "\n")
    }

    private static func valueCase(_ option: OptionDeclaration, _ path: String, _ action: String) -> String {
        let pattern = (["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []))
            .map { "\(path)\" \($0)\"" }.joined(separator: "|")
        return "        \(pattern)) \(action); return ;;"
    }

    private static func action(_ option: OptionDeclaration) -> String {
        switch option.value {
        case .file: "COMPREPLY=($(compgen -f -- \"$word\"))"
        case .choice(_, let words), .list(_, let words):
            "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
        case .text, .number, .measure, nil: ":"
        }
    }
}
