/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of src/api/open.c: a plan needs its model, and there is no importer here. */
#include "src/api/deployment.h"

gt_status gt_i_deployment_load(gt_deployment **deployment, const char *plan_path, const gt_i_model_files *files)
{
    (void)deployment;
    (void)files;
    return gt_fail(GT_ERROR_UNSUPPORTED,
                   "%s: is no bundle. Here bundles are run (MODEL.gtb); `graphtune pack PLAN -o MODEL.gtb` makes one, on the "
                   "machine that has the plan and its model",
                   plan_path);
}
