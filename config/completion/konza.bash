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
            " specimens") path=" specimens" ;;
            " specimens show") path=" specimens show" ;;
            " specimens new") path=" specimens new" ;;
            " specimens set") path=" specimens set" ;;
            " specimens delete") path=" specimens delete" ;;
            " specimens restore") path=" specimens restore" ;;
            " specimens photograph") path=" specimens photograph" ;;
            " specimens occupy") path=" specimens occupy" ;;
            " specimens label") path=" specimens label" ;;
            " specimens submit") path=" specimens submit" ;;
            " specimens outbox") path=" specimens outbox" ;;
            " specimens flush") path=" specimens flush" ;;
            " specimens resolve") path=" specimens resolve" ;;
            " specimens export") path=" specimens export" ;;
            " specimens vocabulary") path=" specimens vocabulary" ;;
            " camera") path=" camera" ;;
            " camera set") path=" camera set" ;;
            " camera frame") path=" camera frame" ;;
            " templates") path=" templates" ;;
            " samples") path=" samples" ;;
            " sample") path=" sample" ;;
            " regions") path=" regions" ;;
            " events") path=" events" ;;
            " pair") path=" pair" ;;
            " devices") path=" devices" ;;
            " devices approve") path=" devices approve" ;;
            " devices deny") path=" devices deny" ;;
            " devices rename") path=" devices rename" ;;
            " devices revoke") path=" devices revoke" ;;
            " portal") path=" portal" ;;
            " portal pin") path=" portal pin" ;;
            " portal certificate") path=" portal certificate" ;;
            " doctor") path=" doctor" ;;
            " version") path=" version" ;;
            " help") path=" help" ;;
        esac
    done
    case "$path $previous" in
        *" --socket") COMPREPLY=($(compgen -f -- "$word")); return ;;
        *" --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
        " where"" --format") COMPREPLY=($(compgen -W "decimal dms geo utm" -- "$word")); return ;;
        " specimens export"" --format") COMPREPLY=($(compgen -W "csv metpetdb-csv metpetdb-sheets sesar geojson gpx kml kmz zip" -- "$word")); return ;;
        *" --since") :; return ;;
        *" --output"|*" -o") COMPREPLY=($(compgen -f -- "$word")); return ;;
        *" --message"|*" -m") :; return ;;
        *" --template"|*" -t") :; return ;;
        *" --place") :; return ;;
        *" --countdown") :; return ;;
        *" --limit"|*" -n") :; return ;;
        *" --near") :; return ;;
        *" --radius") :; return ;;
        *" --state") COMPREPLY=($(compgen -W "draft ready sending submitted refused conflict deleted" -- "$word")); return ;;
        *" --text") :; return ;;
        *" --box") :; return ;;
        *" --number") :; return ;;
        *" --collector") :; return ;;
        *" --mineral") :; return ;;
        *" --grade") :; return ;;
        *" --metamorphic-region") :; return ;;
        *" --region") :; return ;;
        *" --country") :; return ;;
        *" --description") :; return ;;
        *" --notes") :; return ;;
        *" --igsn") :; return ;;
        *" --date") :; return ;;
        *" --present-location") :; return ;;
        *" --reference") :; return ;;
        *" --at") :; return ;;
        *" --accuracy") :; return ;;
        *" --override") :; return ;;
        *" --strike") :; return ;;
        *" --dip") :; return ;;
        *" --trend") :; return ;;
        *" --plunge") :; return ;;
        *" --declination") :; return ;;
        *" --feature") :; return ;;
        *" --rock-type") :; return ;;
        *" --scale") :; return ;;
        *" --type") COMPREPLY=($(compgen -W "FIELDPHOTO PHOTO DRAWING FIG FIELDNOTES MAP" -- "$word")); return ;;
        *" --direction") :; return ;;
        *" --timeout") :; return ;;
        *" --width") :; return ;;
        *" --height") :; return ;;
        *" --target") COMPREPLY=($(compgen -W "metpetdb sesar" -- "$word")); return ;;
        *" --keep") COMPREPLY=($(compgen -W "ours theirs" -- "$word")); return ;;
        *" --sesar-code") :; return ;;
        *" --match") :; return ;;
        *" --owner") :; return ;;
        *" --from") :; return ;;
        *" --to") :; return ;;
        *" --access") COMPREPLY=($(compgen -W "both public private" -- "$word")); return ;;
        *" --wait") :; return ;;
        *" --types") COMPREPLY=($(compgen -W "position camera postcard health specimen occupation outbox" -- "$word")); return ;;
        *" --rate") :; return ;;
        *" --name"|*" -n") :; return ;;
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
            " specimens") COMPREPLY=($(compgen -W "--near --radius --state --text --box -n --limit --json --socket --color -h --help --version" -- "$word")) ;;
            " specimens show") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " specimens new") COMPREPLY=($(compgen -W "--number --collector --mineral --grade --metamorphic-region --region --country --description --notes --public --igsn --date --present-location --reference --here --at --accuracy --override --strike --dip --trend --plunge --declination --feature --json --socket --color -h --help --version" -- "$word")) ;;
            " specimens set") COMPREPLY=($(compgen -W "--rock-type --number --collector --mineral --grade --metamorphic-region --region --country --description --notes --public --igsn --date --present-location --reference --here --at --accuracy --override --strike --dip --trend --plunge --declination --feature --private --json --socket --color -h --help --version" -- "$word")) ;;
            " specimens delete") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " specimens restore") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " specimens photograph") COMPREPLY=($(compgen -W "--scale --type --direction --description --json --socket --color -h --help --version" -- "$word")) ;;
            " specimens occupy") COMPREPLY=($(compgen -W "--accuracy --timeout --json --socket --color -h --help --version" -- "$word")) ;;
            " specimens label") COMPREPLY=($(compgen -W "--svg --width --height -o --output -f --force --socket --color -h --help --version" -- "$word")) ;;
            " specimens submit") COMPREPLY=($(compgen -W "--target --override -w --watch --json --socket --color -h --help --version" -- "$word")) ;;
            " specimens outbox") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " specimens flush") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " specimens resolve") COMPREPLY=($(compgen -W "--keep --target -y --yes --json --socket --color -h --help --version" -- "$word")) ;;
            " specimens export") COMPREPLY=($(compgen -W "--format -o --output -f --force --sesar-code --near --radius --state --text --box --socket --color -h --help --version" -- "$word")) ;;
            " specimens vocabulary") COMPREPLY=($(compgen -W "--match --json --socket --color -h --help --version" -- "$word")) ;;
            " camera") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " camera set") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " camera frame") COMPREPLY=($(compgen -W "-o --output -f --force --socket --color -h --help --version" -- "$word")) ;;
            " templates") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " samples") COMPREPLY=($(compgen -W "--near --radius --box --region --rock-type --mineral --all-minerals --grade --owner --collector --from --to --access --summary --places -n --limit --refresh --wait --json --socket --color -h --help --version" -- "$word")) ;;
            " sample") COMPREPLY=($(compgen -W "--refresh --wait --json --socket --color -h --help --version" -- "$word")) ;;
            " regions") COMPREPLY=($(compgen -W "--refresh --wait --json --socket --color -h --help --version" -- "$word")) ;;
            " events") COMPREPLY=($(compgen -W "--types --rate --json --socket --color -h --help --version" -- "$word")) ;;
            " pair") COMPREPLY=($(compgen -W "-n --name --json --socket --color -h --help --version" -- "$word")) ;;
            " devices") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " devices approve") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " devices deny") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " devices rename") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " devices revoke") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " portal") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " portal pin") COMPREPLY=($(compgen -W "--clear --socket --color -h --help --version" -- "$word")) ;;
            " portal certificate") COMPREPLY=($(compgen -W "-o --output -f --force --json --socket --color -h --help --version" -- "$word")) ;;
            " doctor") COMPREPLY=($(compgen -W "--json --socket --color -h --help --version" -- "$word")) ;;
            " version") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            " help") COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
            *) COMPREPLY=($(compgen -W "--socket --color -h --help --version" -- "$word")) ;;
        esac
        return
    fi
    case $path in
        "") COMPREPLY=($(compgen -W "status where sky track postcard postcards specimens camera templates samples sample regions events pair devices portal doctor version help" -- "$word")) ;;
        " help") COMPREPLY=($(compgen -W "status where sky track postcard postcards specimens camera templates samples sample regions events pair devices portal doctor version help" -- "$word")) ;;
        " postcards") COMPREPLY=($(compgen -W "show get delete" -- "$word")) ;;
        " specimens") COMPREPLY=($(compgen -W "show new set delete restore photograph occupy label submit outbox flush resolve export vocabulary" -- "$word")) ;;
        " specimens photograph") COMPREPLY=($(compgen -f -- "$word")) ;;
        " specimens vocabulary") COMPREPLY=($(compgen -W "rock-types metamorphic-grades metamorphic-regions minerals image-types" -- "$word")) ;;
        " camera") COMPREPLY=($(compgen -W "set frame" -- "$word")) ;;
        " pair") COMPREPLY=($(compgen -W "kiosk collector ranger keeper" -- "$word")) ;;
        " devices") COMPREPLY=($(compgen -W "approve deny rename revoke" -- "$word")) ;;
        " devices approve") COMPREPLY=($(compgen -W "kiosk collector ranger keeper" -- "$word")) ;;
        " portal") COMPREPLY=($(compgen -W "pin certificate" -- "$word")) ;;
    esac
}

complete -F _konza konza
