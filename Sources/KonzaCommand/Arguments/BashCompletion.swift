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
        CommandCatalogue.commands.filter { !$0.verbs.isEmpty }.map { command in
            "        \"\(key(command))\") COMPREPLY=($(compgen -W \"\(names(command.verbs))\" -- \"$word\")) ;;"
        }.joined(separator: "\n")
    }

    /// What follows an option that takes a value. Options of one name take the same kind in every command.
    private static var valueCases: String {
        var seen: Set<String> = []
        var cases: [String] = []
        for option in CommandCatalogue.common + CommandCatalogue.all.flatMap(\.options) {
            guard let value = option.value, seen.insert(option.name).inserted else { continue }
            let pattern = (["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []))
                .map { "*\" \($0)\"" }.joined(separator: "|")
            let action =
                switch value {
                case .file: "COMPREPLY=($(compgen -f -- \"$word\"))"
                case .choice(_, let words), .list(_, let words):
                    "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
                case .text, .number: ":"
                }
            cases.append("        \(pattern)) \(action); return ;;")
        }
        return cases.joined(separator: "\n")
    }
}
