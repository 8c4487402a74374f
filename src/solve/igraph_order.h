/* SPDX-License-Identifier: Apache-2.0 */
/* The graph algorithms taken from igraph. */
#ifndef GT_SOLVE_IGRAPH_ORDER_H
#define GT_SOLVE_IGRAPH_ORDER_H

#include "src/base/memory.h"

/* Looks for a part of an undirected graph that hangs on one articulation point: the smallest leaf of its
 * block tree. `ends` holds two vertices per edge, vertices are 0 … vertices-1. If there is one, sets
 * *cut to the articulation point and inner[v] to 1 for the part's other vertices, 0 elsewhere;
 * otherwise *cut is -1. Of equally small leaves the one with the lowest articulation point, then the lowest
 * inner vertex, is taken. O(vertices + edges) (Hopcroft and Tarjan 1973). Errors: GT_ERROR_MEMORY,
 * GT_ERROR_INTERNAL. */
gt_status gt_i_leaf_block(int32_t *cut, uint8_t *inner, const int32_t *ends, int32_t vertices,
                          int32_t edges) GT_NODISCARD;

/* Writes the vertices of an undirected graph, as above, in the elimination order that maximum cardinality search finds:
 * order[] is a permutation, its last element the vertex visited first (Tarjan and Yannakakis 1984).
 * O(vertices + edges). Errors as gt_i_leaf_block. */
gt_status gt_i_maximum_cardinality(int32_t *order, const int32_t *ends, int32_t vertices, int32_t edges) GT_NODISCARD;

#endif
