# Completion of konza(1) for bash(1), made from the declarations of its commands.

_konza() {
    local word previous path="" index
    COMPREPLY=()
    word=${COMP_WORDS[COMP_CWORD]}
    previous=${COMP_WORDS[COMP_CWORD-1]}
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$path ${COMP_WORDS[index]}" in
            " status") path=" status" ;;
            " where") path=" where" ;;
            " sky") path=" sky" ;;
            " track") path=" track" ;;
            " postcard") path=" postcard" ;;
            " postcards") path=" postcards" ;;
            " postcards show") path=" postcards show" ;;
            " postcards get") path=" postcards get" ;;
            " postcards delete") path=" postcards delete" ;;
            " camera") path=" camera" ;;
            " camera set") path=" camera set" ;;
            " camera frame") path=" camera frame" ;;
            " templates") path=" templates" ;;
            " samples") path=" samples" ;;
            " sample") path=" sample" ;;
            " regions") path=" regions" ;;
            " events") path=" events" ;;
            " doctor") path=" doctor" ;;
            " version") path=" version" ;;
            " help") path=" help" ;;
        esac
    done
    case "$path $previous" in
        *" --socket") COMPREPLY=($(compgen -f -- "$word")); return ;;
        *" --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
        *" --format") COMPREPLY=($(compgen -W "decimal dms geo utm" -- "$word")); return ;;
        *" --since") :; return ;;
        *" --output"|*" -o") COMPREPLY=($(compgen -f -- "$word")); return ;;
        *" --message"|*" -m") :; return ;;
        *" --template"|*" -t") :; return ;;
        *" --place") :; return ;;
        *" --countdown") :; return ;;
        *" --limit"|*" -n") :; return ;;
        *" --near") :; return ;;
        *" --radius") :; return ;;
        *" --box") :; return ;;
        *" --region") :; return ;;
        *" --rock-type") :; return ;;
        *" --mineral") :; return ;;
        *" --grade") :; return ;;
        *" --owner") :; return ;;
        *" --collector") :; return ;;
        *" --from") :; return ;;
        *" --to") :; return ;;
        *" --access") COMPREPLY=($(compgen -W "both public private" -- "$word")); return ;;
        *" --wait") :; return ;;
        *" --types") COMPREPLY=($(compgen -W "position camera postcard health" -- "$word")); return ;;
        *" --rate") :; return ;;
    esac
    if [[ $word == -* ]]; then
        case $path in
            " status") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " where") COMPREPLY=($(compgen -W "-w --watch --json --format --socket --color -h --help --version" -- "$word")) ;;
            " sky") COMPREPLY=($(compgen -W "-w --watch --json --socket --color -h --help --version" -- "$word")) ;;
            " track") COMPREPLY=($(compgen -W "--since --gpx --geojson --json -o --output -f --force --socket --color -h --help --version" -- "$word")) ;;
            " postcard") COMPREPLY=($(compgen -W "-m --message -t --template --place --countdown -o --output -f --force --json --socket --color -h --help --version" -- "$word")) ;;
            " postcards") COMPREPLY=($(compgen -W "-n --limit --json --socket --color -h --help --version" -- "$word")) ;;
            " postcards show") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " postcards get") COMPREPLY=($(compgen -W "-o --output -f --force --original --thumbnail --socket --color -h --help --version" -- "$word")) ;;
            " postcards delete") COMPREPLY=($(compgen -W "-y --yes --socket --color -h --help --version" -- "$word")) ;;
            " camera") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " camera set") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " camera frame") COMPREPLY=($(compgen -W "-o --output -f --force --socket --color -h --help --version" -- "$word")) ;;
            " templates") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " samples") COMPREPLY=($(compgen -W "--near --radius --box --region --rock-type --mineral --all-minerals --grade --owner --collector --from --to --access --summary --places -n --limit --refresh --wait --json --socket --color -h --help --version" -- "$word")) ;;
            " sample") COMPREPLY=($(compgen -W "--refresh --wait --json --socket --color -h --help --version" -- "$word")) ;;
            " regions") COMPREPLY=($(compgen -W "--refresh --wait --json --socket --color -h --help --version" -- "$word")) ;;
            " events") COMPREPLY=($(compgen -W "--types --rate --json --socket --color -h --help --version" -- "$word")) ;;
            " doctor") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " version") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " help") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            *) COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
        esac
        return
    fi
    case $path in
        "") COMPREPLY=($(compgen -W "status where sky track postcard postcards camera templates samples sample regions events doctor version help" -- "$word")) ;;
        " help") COMPREPLY=($(compgen -W "status where sky track postcard postcards camera templates samples sample regions events doctor version help" -- "$word")) ;;
        " postcards") COMPREPLY=($(compgen -W "show get delete" -- "$word")) ;;
        " camera") COMPREPLY=($(compgen -W "set frame" -- "$word")) ;;
    esac
}

complete -F _konza konza
