# describe.sh ROOT FILE: writes what git says of the version of the sources in ROOT into FILE, a
# source of this target. Where git knows nothing of ROOT, as in an unpacked archive, it is what git
# knew when the archive was made, else nothing.
archived='$Format:%(describe:tags=true)$'
version=
if [ -z "$(git -C "$1" rev-parse --show-prefix 2>&1)" ]; then
    version=$(git -C "$1" describe --tags --match '[v0-9]*' 2>/dev/null) ||
        version=g$(git -C "$1" rev-parse --short HEAD 2>/dev/null) || version=
elif [ "${archived#?Format}" = "$archived" ]; then
    version=$archived
fi
# Nothing that would mean something in the source.
case $version in
    *[!0-9A-Za-z._-]*) version= ;;
esac
printf 'let described = "%s"\n' "$version" > "$2"
