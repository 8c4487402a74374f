# SPDX-License-Identifier: Apache-2.0
# The innermost loops that multiply and add vectors in a disassembly of arm64 objects (objdump -d --no-show-raw-insn on
# stdin), one line each, separated by tabs:
#
#     SYMBOL FIRST LAST INSTRUCTIONS FMLA LOADS STORES MOVES STACK ACCESS
#
# FIRST and LAST are offsets in the object; STACK counts accesses to the stack, which in a register tile are spills, and
# ACCESS shows the first of them. A loop is a strongly connected part of the flow of control; without its entries,
# what is strongly connected in it are the loops inside (Steensgaard, "Sequentializing program dependence graphs for irreducible
# programs", 1993): GCC moves blocks about, so that what lies between a backward branch and its target says little. A loop
# counts where it has at least `min_fmla` (8) vector multiply-adds, no call, and no loop inside that counts. Where a smaller loop
# inside multiplies and adds, it goes round tiles and not through one: there only vectors are spills, which are sums, and not
# pointers and counts, which change from tile to tile.
#
# With -v body=SYMBOL -v from=FIRST the loop's instructions are printed instead, for llvm-mca.

BEGIN {
    FS = "\t"
    if (min_fmla == "") min_fmla = 8
}

function is_branch(op) {
    return op == "b" || op ~ /^b\./ || op ~ /^cbn?z$/ || op ~ /^tbn?z$/
}

# A scalar multiply-add makes one sum and is no part of a tile.
function is_fmla(op, rest) {
    return op ~ /^(fmla|fmls|sdot|udot)$/ && rest ~ /^v[0-9]/
}

# Large offsets go through a register that is computed from sp.
function on_stack(op, rest) {
    return op ~ /^(ld|st)/ && rest ~ /\[(sp|x29)[],]/ || op == "add" && rest ~ /^x[0-9]+, (sp|x29),/
}

# ---- the flow of control ----

function push(i, set) {
    if (i < 1 || i > n || level[i] != set || (i in seen)) return
    seen[i]
    queue[++queued] = i
}

function start(i) {
    split("", seen)
    queued = 1
    queue[1] = i
    seen[i]
}

# Instructions of `set` that are reached from `pivot` and reach it go to `loop`; returns how many there are.
function connected(pivot, set,    c, count, came, i, k) {
    split("", ahead)
    split("", loop)
    start(pivot)
    for (k = 1; k <= queued; k++) {
        i = queue[k]
        ahead[i]
        if (op[i] !~ /^(b|br|ret)$/) push(i + 1, set)
        if (i in to) push(to[i], set)
    }
    start(pivot)
    for (k = 1; k <= queued; k++) {
        i = queue[k]
        if (i in ahead) {
            loop[i]
            count++
        }
        if (i > 1 && op[i - 1] !~ /^(b|br|ret)$/) push(i - 1, set)
        c = split(came_from[i], came, " ")
        for (; c > 0; c--) push(came[c] + 0, set)
    }
    return count
}

# Whether the flow enters `loop` at i: a predecessor lies outside.
function is_entry(i,    c, came) {
    if (i > 1 && op[i - 1] !~ /^(b|br|ret)$/ && !((i - 1) in loop)) return 1
    c = split(came_from[i], came, " ")
    for (; c > 0; c--) {
        if (!((came[c] + 0) in loop)) return 1
    }
    return 0
}

# The loops of one set become sets of their own, without their entries. Behind a jump by a table no entry is to be seen:
# then the branch's target is taken for it.
function divide(set,    entries, i, k) {
    for (k = 1; k <= n_backward; k++) {
        i = backward[k]
        if (level[i] != set || level[to[i]] != set || connected(to[i], set) < 2) continue
        n_sets++
        parent[n_sets] = set
        members[n_sets] = ""
        entries = 0
        for (i = 1; i <= n; i++) {
            if (!(i in loop)) continue
            level[i] = is_entry(i) ? -1 : n_sets
            entries += level[i] < 0
            members[n_sets] = members[n_sets] " " i
        }
        if (entries == 0) level[to[backward[k]]] = -1
    }
}

# ---- what the loops hold ----

function is_spill(op, rest, set) {
    return on_stack(op, rest) && (!(set in goes_round) || rest ~ /^[qdsv][0-9]/)
}

function look(set,    count, i, k, list) {
    fmla = loads = stores = moves = calls = stack = 0
    access = ""
    count = split(members[set], list, " ")
    top = list[1]
    bottom = list[count]
    instructions = count
    for (k = 1; k <= count; k++) {
        i = list[k]
        fmla += is_fmla(op[i], rest[i])
        loads += op[i] ~ /^ld/
        stores += op[i] ~ /^st/
        moves += op[i] == "mov" && rest[i] ~ /^v/
        calls += op[i] ~ /^blr?$/
        if (is_spill(op[i], rest[i], set)) {
            stack++
            if (access == "") access = op[i] " " rest[i]
        }
    }
}

# Branches come out as jumps to one label: llvm-mca takes no notice of where they go.
function print_body(set,    count, i, k, list, text) {
    count = split(members[set], list, " ")
    print ".Lloop:"
    for (k = 1; k <= count; k++) {
        i = list[k]
        text = rest[i]
        if (is_branch(op[i])) sub(/[0-9a-f]+ <.*>.*$/, ".Lloop", text)
        sub(/ *\/\/.*$/, "", text)
        print "\t" op[i] "\t" text
    }
}

function print_loop(set) {
    if (body != "") {
        if (body == symbol && from == address[top]) print_body(set)
        return
    }
    printf "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", symbol, address[top], address[bottom], instructions, fmla, loads, stores,
        moves, stack, access
}

function finish(    i, k, outer, set) {
    n_sets = n_backward = 0
    split("", came_from)
    split("", counted_inside)
    split("", goes_round)
    for (i in to) {
        if (!(to[i] in at)) {
            delete to[i]
            continue
        }
        to[i] = at[to[i]]
        came_from[to[i]] = came_from[to[i]] " " i
    }
    for (i = 1; i <= n; i++) {
        level[i] = 0
        if (i in to && to[i] <= i) backward[++n_backward] = i
    }
    for (set = 0; set <= n_sets; set++) divide(set)
    for (set = n_sets; set >= 1; set--) {
        look(set)
        for (outer = parent[set]; outer > 0 && fmla > 0; outer = parent[outer]) goes_round[outer]
        if (fmla < min_fmla || calls > 0 || set in counted_inside) continue
        for (outer = parent[set]; outer > 0; outer = parent[outer]) counted_inside[outer]
        print_loop(set)
    }
    n = 0
    split("", at)
    split("", to)
}

/^[0-9a-f]+ <.*>:$/ {
    finish()
    symbol = $0
    sub(/^[0-9a-f]+ </, "", symbol)
    sub(/>:$/, "", symbol)
    next
}

/^ *[0-9a-f]+:\t/ {
    n++
    address[n] = $1
    gsub(/[ :]/, "", address[n])
    at[address[n]] = n
    op[n] = $2
    gsub(/ /, "", op[n])
    rest[n] = $3
    if (is_branch(op[n]) && match(rest[n], /[0-9a-f]+ </)) to[n] = substr(rest[n], RSTART, RLENGTH - 2)
}

END { finish() }
