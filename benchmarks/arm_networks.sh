#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What whole networks cost on arm64, beside figures of other engines, without a board: `make bench-arm`.
#
#     arm_networks.sh SRCDIR HOST ARCH [NETWORK...]     (NETWORK: names of arm_networks.txt; all)
#
# For each network: candidates are counted (graphtune tune --source counted --core a72), a plan is selected and packed, and
# graphtune-board runs the bundle under armsim: four runs less two, halved, which leaves set-up out. The other engines'
# figures were counted in the same way and are read from arm_networks.txt; the counter is GT_SHARED_DIR's where that is there.
# Records, plans and bundles stay in bench-arm; a second run counts only what is new. GT_BENCH_TRIALS is the number of configs
# a candidate gets (6), GT_BENCH_MISS_WEIGHT how much of the miss penalties counts in tuning (0.25: the table has issue cycles
# and cycles with caches), GT_BENCH_CORE another core than a72 (then there is nothing to compare with).
set -eu
source=$1 host=$2 arch=$3
shift 3
wanted="$*"
trials=${GT_BENCH_TRIALS:-6} weight=${GT_BENCH_MISS_WEIGHT:-0.25} core=${GT_BENCH_CORE:-a72}
layouts=NCHW,NHWC,NCHW4c,NCHW8c
board=board-$arch/graphtune-board
models=${GT_MODELS_DIR:-$source/../shared/models}
armsim=${GT_SHARED_DIR:-$source/../shared}/armsim/armsim
[ -x "$armsim" ] || armsim=$source/costmodel/armsim/armsim

fail() {
    echo "make bench-arm: $*" >&2
    exit 1
}

is_wanted() { # is_wanted NETWORK
    case " $wanted " in "  " | *" $1 "*) return 0 ;; esac
    return 1
}

networks() { # network, file, zoo name, size, of each once
    awk '!/^#/ && NF == 7 && !seen[$1]++ { print $1, $2, $3, $4 }' "$source/benchmarks/arm_networks.txt"
}

# ---- one network ----

find_model() { # find_model NETWORK FILE ZOO SIZE: $model, $flags, $origin
    flags=
    if [ "$2" != - ] && [ -f "$models/$2" ]; then
        model=$models/$2
        origin=$2
        case $2 in *.param) flags="--random-weights 1" ;; esac
    else
        model=bench-arm/$1.onnx
        origin="zoo $3"
        [ -f "$model" ] || ./graphtune zoo "$3" -r "$4" -o "$model" >/dev/null
    fi
}

count() { # count NETWORK TURNS: a turn is two runs
    rm -f "bench-arm/$1.count$2"
    ARMSIM_OUT=bench-arm/$1.count$2 "$armsim" -m "$core" "$board" bench "bench-arm/$1.gtb" --turns "$2" --turn-time 0 >/dev/null
}

prepare() { # prepare NETWORK FILE ZOO SIZE
    find_model "$@"
    echo "$origin" >"bench-arm/$1.origin"
    # shellcheck disable=SC2086
    ./graphtune tune "$model" $flags --source counted --core "$core" --miss-weight "$weight" --layouts "$layouts" --trials "$trials" \
        -o "bench-arm/$1.$core.$weight.jsonl" >"bench-arm/$1.tune" 2>"bench-arm/$1.tune.err" || fail "$1: $(tail -n 1 "bench-arm/$1.tune.err")"
    # shellcheck disable=SC2086
    ./graphtune select "$model" $flags -r "bench-arm/$1.$core.$weight.jsonl" --source counted --layouts "$layouts" \
        -o "bench-arm/$1.plan.json" >"bench-arm/$1.select"
    ./graphtune pack "bench-arm/$1.plan.json" -o "bench-arm/$1.gtb" >/dev/null
    count "$1" 1
    count "$1" 2
}

# ---- all of them ----

# Prints a network's rows and appends "NETWORK ENGINE ISSUE-RATIO CYCLE-RATIO" to bench-arm/ratios.
row() { # row NETWORK
    cat "bench-arm/$1.count1" "bench-arm/$1.count2" | sed 's/[{}":,]/ /g' >"bench-arm/$1.counts"
    predicted=$(sed -n 's/^predicted latency \([0-9.]*\) ms.*/\1/p' "bench-arm/$1.select")
    awk -v network="$1" -v core="$core" -v origin="$(cat "bench-arm/$1.origin")" -v predicted="$predicted" '
        FNR == NR { for (i = 1; i < NF; i++) value[FNR, $i] = $(i + 1); next }
        function run(name) { return (value[2, name] - value[1, name]) / 2e6 }
        core == "a72" && $1 == network { engine[++n] = $5; issue[n] = $6; cycles[n] = $7 }
        END {
            printf "%-16s %-26s %7.1f %7.1f %7.1f %6.2f %7.1f %7.1f", network, origin, run("instructions"), run("fmla"),
                run("issue_cycles"), run("fmla") / run("issue_cycles"), run("cycles"), predicted
            for (i = 1; i <= n; i++) {
                x = run("issue_cycles") / issue[i]; y = run("cycles") / cycles[i]
                printf "%s  %-8s %7.1f %7.1f %6.2f %6.2f", i == 1 ? "" : sprintf("\n%90s", ""), engine[i], issue[i], cycles[i], x, y
                print network, engine[i], x, y >>"bench-arm/ratios"
            }
            print ""
        }' "bench-arm/$1.counts" "$source/benchmarks/arm_networks.txt"
}

# Geometric means: against XNNPACK where there are figures of it and ncnn elsewhere, against ncnn alone, and against ORT.
means() {
    awk '
        function note(set, network, x, y) { a[set, network] = x; b[set, network] = y; sets[set]; networks[network] }
        $2 == "ncnn" && !(("ncnn or XNNPACK", $1) in a) { note("ncnn or XNNPACK", $1, $3, $4) }
        $2 == "XNNPACK" { note("ncnn or XNNPACK", $1, $3, $4) }
        $2 == "ncnn" { note("ncnn", $1, $3, $4) }
        $2 == "ORT" { note("ONNX Runtime", $1, $3, $4) }
        END {
            for (set in sets) {
                n = p = q = most = 0
                for (network in networks) {
                    if ((set, network) in a) {
                        n++; p += log(a[set, network]); q += log(b[set, network])
                        if (a[set, network] > most) { most = a[set, network]; where = network }
                    }
                }
                printf "against %-16s issue cycles x %.3f (at most %.2f, %s), cycles with caches x %.3f; geometric means of %d\n",
                    set ":", exp(p / n), most, where, exp(q / n), n
            }
        }' bench-arm/ratios | sort
}

command -v qemu-aarch64 >/dev/null || fail "qemu-aarch64 is missing: apt install qemu-user"
"$source/src/board/build.sh" board "$source" "$host" "$arch" - >/dev/null
mkdir -p bench-arm
done_ones=
networks >bench-arm/networks
while read -r network file zoo size; do
    is_wanted "$network" || continue
    [ ! -t 2 ] || printf '\rcounting %-20s' "$network" >&2
    prepare "$network" "$file" "$zoo" "$size" </dev/null
    done_ones="$done_ones $network"
done <bench-arm/networks
[ ! -t 2 ] || printf '\r%-40s\r' '' >&2

echo "Millions per inference, batch 1, one thread, fp32, armsim's $core model. Configs are chosen by counting under emulation: issue cycles and" \
    "$weight of the miss penalties."
printf '%-16s %-26s %7s %7s %7s %6s %7s %7s  %-8s %7s %7s %6s %6s\n' network model instr fmla issue 'f/iss' cycles predict \
    engine issue cycles 'x iss' 'x cyc'
rm -f bench-arm/ratios
for network in $done_ones; do
    row "$network"
done
[ ! -f bench-arm/ratios ] || means
