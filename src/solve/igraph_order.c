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

static igraph_error_t blocks_find(blocks *b, const int32_t *ends, int32_t vertices, int32_t edges)
{
    igraph_error_t error = igraph_vector_int_init(&b->ends, (igraph_integer_t)edges * 2);
    if (error == IGRAPH_SUCCESS) {
        b->made = 1;
        for (int64_t k = 0; k < (int64_t)edges * 2; k++) {
            VECTOR(b->ends)[k] = ends[k];
        }
        error = igraph_create(&b->graph, &b->ends, vertices, IGRAPH_UNDIRECTED);
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
    }
    return error;
}

static bool is_cut(const blocks *b, igraph_integer_t vertex)
{
    return igraph_vector_int_contains(&b->cuts, vertex);
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
        status = gt_fail(error == IGRAPH_ENOMEM ? GT_ERROR_MEMORY : GT_ERROR_INTERNAL,
                         "block decomposition: igraph: %s", igraph_strerror(error));
    }
    blocks_destroy(&b);
    igraph_set_error_handler(handler);
    return status;
}
