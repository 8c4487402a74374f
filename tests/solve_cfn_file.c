/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/solve_cfn_file.h"

#include "src/base/file.h"

#include <cjson/cJSON.h>
#include <string.h>

static gt_status read_costs(int64_t **costs, const cJSON *list, int64_t expected, int64_t forbidden_from)
{
    gt_status status = GT_OK;
    int64_t *made = NULL, count = 0;
    const cJSON *item = NULL;
    GT_REQUIRE(cJSON_IsArray(list) && cJSON_GetArraySize(list) == expected, GT_ERROR_FORMAT,
               "a function's \"costs\" must be a list of %lld numbers", (long long)expected);
    GT_TRY(gt_calloc(&made, (size_t)expected, sizeof *made));
    cJSON_ArrayForEach(item, list)
    {
        int64_t cost = (int64_t)cJSON_GetNumberValue(item);
        made[count++] = cost >= forbidden_from ? GT_CFN_INFINITE : cost;
    }
    *costs = made;
    made = NULL;
done:
    gt_free(made);
    return status;
}

static int32_t find_variable(const gt_cfn *cfn, const char *name)
{
    for (int32_t i = 0; name != NULL && i < gt_cfn_variable_count(cfn); i++) {
        if (strcmp(gt_cfn_variable_name(cfn, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

static gt_status read_function(gt_cfn *cfn, const cJSON *function, int64_t forbidden_from)
{
    gt_status status = GT_OK;
    int64_t *costs = NULL, expected = 1;
    int32_t scope[2] = {-1, -1};
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(function, "scope");
    int arity = cJSON_GetArraySize(names);
    GT_REQUIRE(arity == 1 || arity == 2, GT_ERROR_FORMAT, "a function's \"scope\" must name 1 or 2 variables");
    for (int k = 0; k < arity; k++) {
        scope[k] = find_variable(cfn, cJSON_GetStringValue(cJSON_GetArrayItem(names, k)));
        GT_REQUIRE(scope[k] >= 0, GT_ERROR_FORMAT, "a function's \"scope\" names an unknown variable");
        expected *= gt_cfn_domain(cfn, scope[k]);
    }
    GT_TRY(read_costs(&costs, cJSON_GetObjectItemCaseSensitive(function, "costs"), expected, forbidden_from));
    GT_TRY(arity == 1 ? gt_cfn_add_unary(cfn, scope[0], costs) : gt_cfn_add_binary(cfn, scope[0], scope[1], costs));
done:
    gt_free(costs);
    return status;
}

gt_status gt_test_read_cfn(gt_cfn **cfn, const char *path, int64_t forbidden_from)
{
    gt_status status = GT_OK;
    char *text = NULL;
    size_t bytes = 0;
    cJSON *root = NULL;
    gt_cfn *made = NULL;
    const cJSON *item = NULL;
    int32_t index = 0;
    GT_TRY(gt_file_read(&text, &bytes, path));
    root = cJSON_ParseWithLength(text, bytes);
    GT_REQUIRE(root != NULL, GT_ERROR_FORMAT, "%s: not JSON", path);
    GT_TRY(gt_cfn_create(&made));
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "variables"))
    {
        GT_TRY(gt_cfn_add_variable(made, &index, item->string, (int32_t)cJSON_GetNumberValue(item), NULL));
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "functions"))
    {
        GT_TRY(read_function(made, item, forbidden_from));
    }
    *cfn = made;
    made = NULL;
done:
    gt_cfn_destroy(made);
    cJSON_Delete(root);
    gt_free(text);
    return status;
}
