/* SPDX-License-Identifier: Apache-2.0 */
/* The cost function network of a selection as a file, for other solvers. */
#include "src/import/cfn_file.h"
#include "src/tune/select_internal.h"

/* "NCHW->NCHW8c conv2d.direct" */
static gt_status name_choice(gt_text *text, const gt_choice *choice)
{
    const char *by = choice->tmpl != NULL     ? choice->tmpl->name
                     : choice->record != NULL ? choice->record->template_name
                                              : GT_MODEL_TEMPLATE;
    return gt_text_append(text, "%s->%s %s", gt_layout_name(choice->in), gt_layout_name(choice->out), by);
}

/* "NCHW+NHWC" */
static gt_status name_set(gt_text *text, const gt_selection *s, int tensor, int32_t value)
{
    gt_status status = GT_OK;
    uint8_t sets[GT_MASKS];
    const char *separator = "";
    gt_i_possible_sets(s, tensor, sets);
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        if ((sets[value] >> layout & 1) != 0) {
            GT_TRY(gt_text_append(text, "%s%s", separator, gt_layout_name((gt_layout)layout)));
            separator = "+";
        }
    }
done:
    return status;
}

static gt_status name_value(gt_text *text, const void *context, int32_t variable, int32_t value)
{
    const gt_network *n = context;
    int n_ops = n->s->graph->n_ops;
    return variable < n_ops ? name_choice(text, &n->s->domains[variable].choice[value])
                            : name_set(text, n->s, n->sets[variable - n_ops], value);
}

/* The digits below a nanosecond only break ties: every cost is a sum of whole nanoseconds and of such digits, which never
 * add up to one, so that rounding down leaves the optimum what the plan predicts. */
gt_status gt_i_dump_network(const gt_selection *s)
{
    gt_status status = GT_OK;
    uint32_t *allowed = NULL;
    gt_network *network = NULL;
    GT_TRY(gt_i_restrict(s, s->options->only_layout, &allowed));
    GT_TRY(gt_i_network_create(&network, s, allowed));
    const gt_cfn_writing how = {
        .name = "layout_selection_ns", .shift_bits = s->scale_bits, .value_name = name_value, .context = network};
    GT_TRY(gt_cfn_file_write(network->cfn, s->options->cfn_path, &how));
done:
    gt_i_network_destroy(network);
    gt_free(allowed);
    return status;
}
