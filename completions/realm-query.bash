# bash completion for realm-query, generated from its option table.

_realm_query() {
    local word=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1))
    COMPREPLY=()
    # bash takes --option=value apart into three words.
    if [[ $word == "=" ]]; then
        word=
    elif [[ ${COMP_WORDS[index]} == "=" ]]; then
        index=$((index - 1))
    fi
    case ${COMP_WORDS[index]} in
        -s | --sort | --distinct | --group-by | -F | --fields | --exclude | -x | --expand | --explode)
            local IFS=$'\n'
            mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --complete=property "$word" \
                "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2> /dev/null)
            return
            ;;
        --arg | --argjson | --zone | --aggregate | -L | --limit | --offset | --class | --where | --at | -d | --diff | --since | --heartbeat | --join | --null | -j | --threads | --max-memory)
            return
            ;;
        -Q | --query-file | -o | --output | -K | --encryption-key-file)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        --case)
            mapfile -t COMPREPLY < <(compgen -W "unicode reference" -- "$word")
            return
            ;;
        --types)
            mapfile -t COMPREPLY < <(compgen -W "plain extended" -- "$word")
            return
            ;;
        --time)
            mapfile -t COMPREPLY < <(compgen -W "rfc3339 unix unix-ns" -- "$word")
            return
            ;;
        --binary)
            mapfile -t COMPREPLY < <(compgen -W "base64 hex omit" -- "$word")
            return
            ;;
        --guid)
            mapfile -t COMPREPLY < <(compgen -W "standard dotnet" -- "$word")
            return
            ;;
        -f | --format)
            mapfile -t COMPREPLY < <(compgen -W "auto table line markdown ndjson json csv tsv sql html diff swift kotlin typescript csharp swiftdata grdb room jsonschema ddl mermaid dot" -- "$word")
            return
            ;;
        --dialect)
            mapfile -t COMPREPLY < <(compgen -W "sqlite postgres duckdb" -- "$word")
            return
            ;;
        --delimiter)
            mapfile -t COMPREPLY < <(compgen -W "; tab |" -- "$word")
            return
            ;;
        --output-dir)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
        --access)
            mapfile -t COMPREPLY < <(compgen -W "auto shared immutable" -- "$word")
            return
            ;;
        --color | --progress)
            mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "-s --sort --distinct --arg --argjson -Q --query-file --case --zone --aggregate --group-by --batch --explain -L --limit --offset -a --all -c --count -e --exit-status -S --schema --digest --internal --with-filename --no-filename --class --where --at -d --diff --stat -w --watch --initial --since --heartbeat --before --remnants --provenance --sha256 -F --fields --exclude -x --expand --backlinks --explode --types --time --binary --guid --join --null -f --format --dialect --json -H --no-header --delimiter --crlf --bom -0 --null-separated --raw -o --output --force --output-dir -K --encryption-key-file --access --wait -j --threads --max-memory -h --help -V --version -q --quiet -v --verbose --color --progress" -- "$word")
        return
    fi
    local IFS=$'\n'
    mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --complete=class "$word" \
        "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2> /dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 ]] && return
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _realm_query realm-query
