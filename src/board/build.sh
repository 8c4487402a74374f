#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make board` and `make board-dist`: configures a build of graphtune-board alone in board-ARCH and makes it there. It takes
# a cross compiler (Debian: gcc-aarch64-linux-gnu) and no library.
#
#     build.sh board|board-dist SRCDIR HOST ARCH VERSION
set -eu
what=$1 source=$2 host=$3 arch=$4 version=$5
folder=board-$arch
program=$folder/graphtune-board
archive=graphtune-board-$arch.tar.xz

fail() {
    echo "make $what: $*" >&2
    exit 1
}

build() {
    if [ ! -f "$folder/Makefile" ]; then
        command -v "$host-gcc" >/dev/null || fail "$host-gcc is missing: apt install gcc-$host, or name another BOARD_HOST"
        [ ! -f "$source/config.status" ] ||
            fail "$source is configured itself; build in another folder (make distclean && mkdir build && cd build && ../configure)"
        mkdir -p "$folder"
        (cd "$folder" && "$source/configure" --quiet --host="$host" --enable-board-only --disable-shared \
            CFLAGS="${BOARD_CFLAGS--O3 -ffunction-sections -fdata-sections}" \
            LDFLAGS="${BOARD_LDFLAGS--Wl,--gc-sections}") ||
            fail "configuring in $folder failed; see $folder/config.log"
    fi
    (cd "$folder" && ${MAKE:-make} -s graphtune-board) || fail "building in $folder failed"
    if readelf -d "$program" | grep -q NEEDED; then
        fail "$program needs shared libraries"
    fi
    echo "$program: $(wc -c <"$program") bytes, static"
}

pack() {
    name=graphtune-board-$arch
    rm -rf "$folder/$name"
    mkdir "$folder/$name"
    "$host-strip" -o "$folder/$name/graphtune-board" "$program"
    cp "$source/src/board/README.md" "$source/LICENSE" "$folder/$name/"
    echo "$version" >"$folder/$name/VERSION"
    (cd "$folder/$name" && sha256sum graphtune-board >graphtune-board.sha256)
    # The same program gives the same bytes.
    tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cJf "$archive.new" "$name"
    mv "$archive.new" "$archive"
    sha256sum "$archive" >"$archive.sha256"
    echo "$archive: $(wc -c <"$archive") bytes; graphtune-board in it has $(wc -c <"$folder/$name/graphtune-board")"
}

build
[ "$what" = board ] || pack
