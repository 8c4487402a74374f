/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/solve_networks.h"

#include <stdio.h>

static int64_t draw(gt_rng *rng, gt_test_costs costs)
{
    if (gt_rng_below(rng, 100) < costs.forbidden) {
        return GT_CFN_INFINITE;
    }
    return gt_rng_below(rng, costs.range + 1);
}

static gt_status add_table(gt_cfn *cfn, gt_rng *rng, gt_test_costs costs, int32_t a, int32_t b)
{
    gt_status status = GT_OK;
    int64_t *table = NULL;
    int64_t size = (int64_t)gt_cfn_domain(cfn, a) * gt_cfn_domain(cfn, b);
    bool structured = gt_rng_below(rng, 100) < costs.structured;
    GT_TRY(gt_calloc(&table, (size_t)size, sizeof *table));
    for (int64_t k = 0; k < size; k++) {
        table[k] = structured ? (gt_rng_below(rng, 3) == 0 ? GT_CFN_INFINITE : 0) : draw(rng, costs);
    }
    GT_TRY(gt_cfn_add_binary(cfn, a, b, table));
done:
    gt_free(table);
    return status;
}

/* Whether the shape has an edge between i < j. */
static bool joined(gt_rng *rng, gt_test_shape shape, int32_t i, int32_t j, int32_t count, const int32_t *parent)
{
    switch (shape) {
    case GT_TEST_CHAIN:
        return j == i + 1;
    case GT_TEST_TREE:
        return parent[j] == i;
    case GT_TEST_RESIDUAL:
        return j == i + 1 || (j == i + 3 && i % 2 == 0);
    case GT_TEST_CONCAT:
        return i % 2 == 0 ? j % 2 == 1 || j == i + 2 : j == i + 1;
    case GT_TEST_CLIQUE:
        return true;
    case GT_TEST_BLOCKS:
        return i / 3 == (j - 1) / 3;
    case GT_TEST_COMPONENTS:
        return (i < count / 2) == (j < count / 2);
    default:
        return gt_rng_below(rng, 2) == 0;
    }
}

static gt_status add_variables(gt_cfn *cfn, gt_rng *rng, gt_test_costs costs, int64_t assignments)
{
    gt_status status = GT_OK;
    int32_t index = 0, most = 2 + (int32_t)gt_rng_below(rng, 5);
    for (int64_t product = 1; gt_cfn_variable_count(cfn) < 13;) {
        int64_t unary[8];
        char name[16];
        int32_t domain = 1 + (int32_t)gt_rng_below(rng, most);
        product *= domain;
        if (product > assignments) {
            break;
        }
        for (int32_t x = 0; x < domain; x++) {
            unary[x] = draw(rng, costs);
        }
        snprintf(name, sizeof name, "v%d", (int)gt_cfn_variable_count(cfn));
        GT_TRY(gt_cfn_add_variable(cfn, &index, name, domain, unary));
    }
done:
    return status;
}

gt_status gt_test_small_network(gt_cfn **cfn, gt_rng *rng, gt_test_shape shape, gt_test_costs costs,
                                int64_t assignments)
{
    gt_status status = GT_OK;
    gt_cfn *made = NULL;
    int32_t parent[16] = {0};
    GT_TRY(gt_cfn_create(&made));
    GT_TRY(add_variables(made, rng, costs, assignments));
    int32_t count = gt_cfn_variable_count(made);
    for (int32_t j = 1; j < count; j++) {
        parent[j] = (int32_t)gt_rng_below(rng, j);
    }
    for (int32_t j = 1; j < count; j++) {
        for (int32_t i = 0; i < j; i++) {
            if (joined(rng, shape, i, j, count, parent)) {
                bool swapped = gt_rng_below(rng, 2) == 0;
                GT_TRY(add_table(made, rng, costs, swapped ? j : i, swapped ? i : j));
                if (shape == GT_TEST_RANDOM && gt_rng_below(rng, 8) == 0) {
                    GT_TRY(add_table(made, rng, costs, j, i));
                }
            }
        }
    }
    *cfn = made;
    made = NULL;
done:
    gt_cfn_destroy(made);
    return status;
}

/* --- layout selection ----------------------------------------------------------------------------- */

#define MAX_LAYOUTS 5
#define MAX_TENSORS 1024
#define MAX_CONSUMERS 64

typedef struct tensor {
    int32_t producer; /* variable */
    bool any_pair;    /* the producer chooses (in, out) freely, otherwise one layout for both */
    float size;
    int32_t consumer_count;
    int32_t consumers[MAX_CONSUMERS];
    bool consumer_any_pair[MAX_CONSUMERS];
} tensor;

typedef struct builder {
    gt_cfn *cfn;
    gt_rng *rng;
    int32_t layouts;
    float ratio;
    tensor *tensors;
    int32_t tensor_count;
} builder;

static int32_t values_of(const builder *b, bool any_pair)
{
    return any_pair ? b->layouts * b->layouts : b->layouts;
}

static gt_status add_op(builder *b, int32_t *out, const int32_t *inputs, int32_t input_count, float size,
                        float work, bool any_pair)
{
    gt_status status = GT_OK;
    int64_t unary[MAX_LAYOUTS * MAX_LAYOUTS];
    float per_layout[MAX_LAYOUTS];
    char name[16];
    int32_t variable = 0, values = values_of(b, any_pair);
    for (int32_t a = 0; a < b->layouts; a++) {
        per_layout[a] = work * gt_rng_uniform(b->rng, 0.8F, 1.6F);
    }
    for (int32_t x = 0; x < values; x++) {
        int32_t in = any_pair ? x / b->layouts : x, produced = any_pair ? x % b->layouts : x;
        float extra = in == produced ? 1.0F : gt_rng_uniform(b->rng, 0.95F, 1.3F);
        unary[x] = (int64_t)(per_layout[in] * extra * 1000);
    }
    snprintf(name, sizeof name, "op%d", (int)b->tensor_count);
    GT_TRY(gt_cfn_add_variable(b->cfn, &variable, name, values, unary));
    for (int32_t k = 0; k < input_count; k++) {
        tensor *t = &b->tensors[inputs[k]];
        t->consumers[t->consumer_count] = variable;
        t->consumer_any_pair[t->consumer_count++] = any_pair;
    }
    b->tensors[b->tensor_count] = (tensor){.producer = variable, .any_pair = any_pair, .size = size};
    *out = b->tensor_count++;
done:
    return status;
}

typedef struct transforms {
    int64_t cost[MAX_LAYOUTS][MAX_LAYOUTS];
} transforms;

static transforms draw_transforms(builder *b, float size)
{
    transforms t;
    for (int32_t i = 0; i < b->layouts; i++) {
        for (int32_t j = 0; j < b->layouts; j++) {
            t.cost[i][j] = i == j ? 0 : (int64_t)(b->ratio * size * gt_rng_uniform(b->rng, 0.5F, 1.5F) * 1000);
        }
    }
    for (int32_t m = 0; m < b->layouts; m++) {
        for (int32_t i = 0; i < b->layouts; i++) {
            for (int32_t j = 0; j < b->layouts; j++) {
                int64_t via = t.cost[i][m] + t.cost[m][j];
                t.cost[i][j] = via < t.cost[i][j] ? via : t.cost[i][j];
            }
        }
    }
    return t;
}

/* Cheapest ways to have exactly the layouts of each set, starting from one. */
static void cost_of_sets(const builder *b, const transforms *t, int32_t from, int64_t cost[1 << MAX_LAYOUTS])
{
    for (int32_t s = 0; s < 1 << b->layouts; s++) {
        cost[s] = s == 1 << from ? 0 : GT_CFN_INFINITE;
    }
    for (int32_t s = 0; s < 1 << b->layouts; s++) {
        for (int32_t add = 0; cost[s] < GT_CFN_INFINITE && add < b->layouts; add++) {
            int64_t step = GT_CFN_INFINITE;
            for (int32_t have = 0; have < b->layouts; have++) {
                step = (s >> have & 1) && t->cost[have][add] < step ? t->cost[have][add] : step;
            }
            int64_t *larger = &cost[s | 1 << add];
            *larger = !(s >> add & 1) && cost[s] + step < *larger ? cost[s] + step : *larger;
        }
    }
}

static gt_status join_directly(builder *b, const tensor *t, const transforms *tr)
{
    int64_t table[MAX_LAYOUTS * MAX_LAYOUTS * MAX_LAYOUTS * MAX_LAYOUTS];
    int32_t rows = values_of(b, t->any_pair), columns = values_of(b, t->consumer_any_pair[0]);
    for (int32_t x = 0; x < rows; x++) {
        for (int32_t y = 0; y < columns; y++) {
            int32_t made = t->any_pair ? x % b->layouts : x;
            int32_t read = t->consumer_any_pair[0] ? y / b->layouts : y;
            table[x * columns + y] = tr->cost[made][read];
        }
    }
    return gt_cfn_add_binary(b->cfn, t->producer, t->consumers[0], table);
}

static gt_status join_through_set(builder *b, const tensor *t, const transforms *tr, int32_t index)
{
    gt_status status = GT_OK;
    int64_t table[MAX_LAYOUTS * MAX_LAYOUTS << MAX_LAYOUTS], cost[1 << MAX_LAYOUTS];
    int32_t sets = (1 << b->layouts) - 1, rows = values_of(b, t->any_pair), set = 0;
    char name[16];
    snprintf(name, sizeof name, "S%d", (int)index);
    GT_TRY(gt_cfn_add_variable(b->cfn, &set, name, sets, NULL));
    for (int32_t x = 0; x < rows; x++) {
        cost_of_sets(b, tr, t->any_pair ? x % b->layouts : x, cost);
        for (int32_t s = 1; s <= sets; s++) {
            table[x * sets + s - 1] = cost[s];
        }
    }
    GT_TRY(gt_cfn_add_binary(b->cfn, t->producer, set, table));
    for (int32_t k = 0; k < t->consumer_count; k++) {
        int32_t columns = values_of(b, t->consumer_any_pair[k]);
        for (int32_t s = 1; s <= sets; s++) {
            for (int32_t y = 0; y < columns; y++) {
                int32_t read = t->consumer_any_pair[k] ? y / b->layouts : y;
                table[(s - 1) * columns + y] = s >> read & 1 ? 0 : GT_CFN_INFINITE;
            }
        }
        GT_TRY(gt_cfn_add_binary(b->cfn, set, t->consumers[k], table));
    }
done:
    return status;
}

static gt_status join_all(builder *b)
{
    gt_status status = GT_OK;
    for (int32_t k = 0; k < b->tensor_count; k++) {
        const tensor *t = &b->tensors[k];
        transforms tr = draw_transforms(b, t->size);
        if (t->consumer_count == 1) {
            GT_TRY(join_directly(b, t, &tr));
        } else if (t->consumer_count > 1) {
            GT_TRY(join_through_set(b, t, &tr, k));
        }
    }
done:
    return status;
}

static gt_status resnet(builder *b, int32_t size, int32_t x)
{
    gt_status status = GT_OK;
    for (int32_t i = 0; i < size; i++) {
        int32_t y = x;
        for (int32_t k = 0; k < 3; k++) {
            GT_TRY(add_op(b, &y, &y, 1, 50, 150, true));
        }
        GT_TRY(add_op(b, &x, (int32_t[]){x, y}, 2, 100, 20, false));
    }
done:
    return status;
}

static gt_status densenet(builder *b, int32_t size, int32_t x)
{
    gt_status status = GT_OK;
    int32_t features[MAX_CONSUMERS], concat = 0, y = 0;
    for (int32_t block = 0; block < 3; block++) {
        features[0] = x;
        for (int32_t i = 0; i < size; i++) {
            concat = x;
            if (i > 0) {
                GT_TRY(add_op(b, &concat, features, i + 1, 100.0F / (float)(1 << block), 20, false));
            }
            GT_TRY(add_op(b, &y, &concat, 1, 60.0F / (float)(1 << block), 150, true));
            GT_TRY(add_op(b, &features[i + 1], &y, 1, 15.0F / (float)(1 << block), 150, true));
        }
        GT_TRY(add_op(b, &concat, features, size + 1, 100.0F / (float)(1 << block), 20, false));
        GT_TRY(add_op(b, &x, &concat, 1, 50.0F / (float)(1 << block), 100, true));
    }
done:
    return status;
}

static gt_status hrnet(builder *b, int32_t size, int32_t x)
{
    gt_status status = GT_OK;
    int32_t branches[4] = {x}, fused[4], count = 1, y = 0;
    for (int32_t s = 0; s < size; s++) {
        if (count < 4 && s % 4 == 0) {
            GT_TRY(add_op(b, &branches[count], &branches[count - 1], 1, 100.0F / (float)(1 << count), 100, true));
            count++;
        }
        for (int32_t i = 0; i < count; i++) {
            float area = 100.0F / (float)(1 << i);
            GT_TRY(add_op(b, &y, &branches[i], 1, area, 150, true));
            GT_TRY(add_op(b, &y, &y, 1, area, 150, true));
            GT_TRY(add_op(b, &branches[i], (int32_t[]){branches[i], y}, 2, area, 20, false));
        }
        for (int32_t i = 0; s % 4 == 3 && i < count; i++) {
            int32_t inputs[4] = {branches[i]}, n = 1;
            float area = 100.0F / (float)(1 << i);
            for (int32_t j = 0; j < count; j++) {
                if (j != i) {
                    GT_TRY(add_op(b, &inputs[n++], &branches[j], 1, area, 80, true));
                }
            }
            GT_TRY(add_op(b, &fused[i], inputs, n, area, 20, false));
        }
        for (int32_t i = 0; s % 4 == 3 && i < count; i++) {
            branches[i] = fused[i];
        }
    }
done:
    return status;
}

static gt_status nasnet(builder *b, int32_t size, int32_t x)
{
    gt_status status = GT_OK;
    int32_t previous = x;
    for (int32_t c = 0; c < size; c++) {
        int32_t states[8], left = 0, right = 0;
        GT_TRY(add_op(b, &states[0], &previous, 1, 80, 60, true));
        GT_TRY(add_op(b, &states[1], &x, 1, 80, 60, true));
        for (int32_t k = 0; k < 5; k++) {
            int32_t i = (int32_t)gt_rng_below(b->rng, k + 2), j = (int32_t)gt_rng_below(b->rng, k + 1);
            j += j >= i;
            GT_TRY(add_op(b, &left, &states[i], 1, 80, 100, true));
            GT_TRY(add_op(b, &right, &states[j], 1, 80, 100, true));
            GT_TRY(add_op(b, &states[k + 2], (int32_t[]){left, right}, 2, 80, 15, false));
        }
        previous = x;
        GT_TRY(add_op(b, &x, &states[2], 5, 200, 30, false));
    }
done:
    return status;
}

gt_status gt_test_model_network(gt_cfn **cfn, gt_rng *rng, gt_test_model model, int32_t layouts, int32_t size,
                                float ratio)
{
    gt_status status = GT_OK;
    gt_status (*const models[GT_TEST_MODEL_COUNT])(builder *, int32_t, int32_t) = {resnet, densenet, hrnet, nasnet};
    builder b = {.rng = rng, .layouts = layouts, .ratio = ratio};
    int32_t x = 0;
    GT_TRY(gt_cfn_create(&b.cfn));
    GT_TRY(gt_calloc(&b.tensors, MAX_TENSORS, sizeof *b.tensors));
    GT_TRY(add_op(&b, &x, NULL, 0, 100, 0, false));
    GT_TRY(add_op(&b, &x, &x, 1, 100, 300, true));
    GT_TRY(models[model](&b, size, x));
    GT_TRY(join_all(&b));
    *cfn = b.cfn;
    b.cfn = NULL;
done:
    gt_cfn_destroy(b.cfn);
    gt_free(b.tensors);
    return status;
}
