/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/igraph_order.h"

#include <igraph.h>

/* igraph's vectors use its own integer type, which must not reach a header. */
typedef struct blocks {
    igraph_vector_int_t ends;
    igraph_t graph;
    igraph_vector_int_list_t blocks;
    igraph_vector_int_t cuts;
    int made; /* how many of the four, in this order */
} blocks;

static void blocks_destroy(blocks *b)
{
    if (b->made >= 4) {
        igraph_vector_int_destroy(&b->cuts);
    }
    if (b->made >= 3) {
        igraph_vector_int_list_destroy(&b->blocks);
    }
    if (b->made >= 2) {
        igraph_destroy(&b->graph);
    }
    if (b->made >= 1) {
        igraph_vector_int_destroy(&b->ends);
    }
    b->made = 0;
}

/* An undirected graph of pairs of vertices. */
static igraph_error_t create_graph(igraph_t *graph, igraph_vector_int_t *to_igraph, const int32_t *ends, int32_t vertices,
                                   int32_t edges)
{
    for (int64_t k = 0; k < (int64_t)edges * 2; k++) {
        VECTOR(*to_igraph)[k] = ends[k];
    }
    return igraph_create(graph, to_igraph, vertices, IGRAPH_UNDIRECTED);
}

static igraph_error_t blocks_find(blocks *b, const int32_t *ends, int32_t vertices, int32_t edges)
{
    igraph_error_t error = igraph_vector_int_init(&b->ends, (igraph_integer_t)edges * 2);
    if (error == IGRAPH_SUCCESS) {
        b->made = 1;
        error = create_graph(&b->graph, &b->ends, ends, vertices, edges);
    }
    if (error == IGRAPH_SUCCESS) {
        b->made = 2;
        error = igraph_vector_int_list_init(&b->blocks, 0);
    }
    if (error == IGRAPH_SUCCESS) {
        b->made = 3;
        error = igraph_vector_int_init(&b->cuts, 0);
    }
    if (error == IGRAPH_SUCCESS) {
        b->made = 4;
        error = igraph_biconnected_components(&b->graph, NULL, NULL, NULL, &b->blocks, &b->cuts);
        igraph_vector_int_sort(&b->cuts);
    }
    return error;
}

static bool is_cut(const blocks *b, igraph_integer_t vertex)
{
    return igraph_vector_int_binsearch2(&b->cuts, vertex);
}

/* The only articulation point of a block, or -1 if it has none or several. */
static igraph_integer_t only_cut(const blocks *b, const igraph_vector_int_t *block)
{
    igraph_integer_t found = -1;
    for (igraph_integer_t k = 0; k < igraph_vector_int_size(block); k++) {
        igraph_integer_t vertex = VECTOR(*block)[k];
        if (is_cut(b, vertex)) {
            if (found >= 0) {
                return -1;
            }
            found = vertex;
        }
    }
    return found;
}

static igraph_integer_t lowest_inner(const igraph_vector_int_t *block, igraph_integer_t cut)
{
    igraph_integer_t lowest = -1;
    for (igraph_integer_t k = 0; k < igraph_vector_int_size(block); k++) {
        igraph_integer_t vertex = VECTOR(*block)[k];
        if (vertex != cut && (lowest < 0 || vertex < lowest)) {
            lowest = vertex;
        }
    }
    return lowest;
}

/* Order of preference among leaves that does not depend on igraph's order. */
static bool is_better(const igraph_vector_int_t *block, igraph_integer_t cut,
                      const igraph_vector_int_t *best, igraph_integer_t best_cut)
{
    if (best == NULL || igraph_vector_int_size(block) != igraph_vector_int_size(best)) {
        return best == NULL || igraph_vector_int_size(block) < igraph_vector_int_size(best);
    }
    return cut != best_cut ? cut < best_cut : lowest_inner(block, cut) < lowest_inner(best, cut);
}

static void take_leaf(const blocks *b, int32_t *cut, uint8_t *inner, int32_t vertices)
{
    const igraph_vector_int_t *best = NULL;
    igraph_integer_t best_cut = -1;
    for (igraph_integer_t k = 0; k < igraph_vector_int_list_size(&b->blocks); k++) {
        const igraph_vector_int_t *block = igraph_vector_int_list_get_ptr(&b->blocks, k);
        igraph_integer_t point = only_cut(b, block);
        if (point >= 0 && is_better(block, point, best, best_cut)) {
            best = block;
            best_cut = point;
        }
    }
    for (int32_t v = 0; v < vertices; v++) {
        inner[v] = 0;
    }
    for (igraph_integer_t k = 0; best != NULL && k < igraph_vector_int_size(best); k++) {
        inner[VECTOR(*best)[k]] = VECTOR(*best)[k] != best_cut;
    }
    *cut = (int32_t)best_cut;
}

static gt_status fail(const char *what, igraph_error_t error)
{
    return gt_fail(error == IGRAPH_ENOMEM ? GT_ERROR_MEMORY : GT_ERROR_INTERNAL, "%s: igraph: %s", what,
                   igraph_strerror(error));
}

gt_status gt_i_leaf_block(int32_t *cut, uint8_t *inner, const int32_t *ends, int32_t vertices,
                          int32_t edges)
{
    gt_status status = GT_OK;
    blocks b = {.made = 0};
    /* igraph's default handler aborts the process */
    igraph_error_handler_t *handler = igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_error_t error = blocks_find(&b, ends, vertices, edges);
    if (error == IGRAPH_SUCCESS) {
        take_leaf(&b, cut, inner, vertices);
    } else {
        status = fail("block decomposition", error);
    }
    blocks_destroy(&b);
    igraph_set_error_handler(handler);
    return status;
}

static igraph_error_t search_cardinality(int32_t *order, const int32_t *ends, int32_t vertices, int32_t edges,
                                         igraph_vector_int_t vectors[3])
{
    igraph_t graph;
    igraph_vector_int_t *to_igraph = &vectors[0], *rank = &vectors[1], *by_rank = &vectors[2];
    igraph_error_t error = igraph_vector_int_resize(to_igraph, (igraph_integer_t)edges * 2);
    error = error == IGRAPH_SUCCESS ? create_graph(&graph, to_igraph, ends, vertices, edges) : error;
    if (error != IGRAPH_SUCCESS) {
        return error;
    }
    error = igraph_maximum_cardinality_search(&graph, rank, by_rank);
    for (int32_t k = 0; error == IGRAPH_SUCCESS && k < vertices; k++) {
        order[k] = (int32_t)VECTOR(*by_rank)[k];
    }
    igraph_destroy(&graph);
    return error;
}

gt_status gt_i_maximum_cardinality(int32_t *order, const int32_t *ends, int32_t vertices, int32_t edges)
{
    gt_status status = GT_OK;
    igraph_vector_int_t vectors[3];
    igraph_error_handler_t *handler = igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_error_t error = IGRAPH_SUCCESS;
    int made = 0;
    for (; made < 3 && error == IGRAPH_SUCCESS; made += error == IGRAPH_SUCCESS) {
        error = igraph_vector_int_init(&vectors[made], 0);
    }
    if (error == IGRAPH_SUCCESS) {
        error = search_cardinality(order, ends, vertices, edges, vectors);
    }
    if (error != IGRAPH_SUCCESS) {
        status = fail("elimination order", error);
    }
    while (made > 0) {
        igraph_vector_int_destroy(&vectors[--made]);
    }
    igraph_set_error_handler(handler);
    return status;
}
