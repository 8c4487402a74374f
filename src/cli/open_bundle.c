/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"
#include "src/cli/device_flags.h"

gt_status gt_cli_open_bundle(gt_deployment **deployment, const char *path, const gt_i_model_files *files, int threads,
                             const char *cpus, bool quiet)
{
    gt_status status = GT_OK;
    gt_bundle *bundle = NULL;
    GT_REQUIRE(files->model == NULL && files->weights == NULL && files->random_seed < 0, GT_ERROR_ARGUMENT,
               "%s: is a bundle, which holds its weights: --model, --weights and --random-weights do not apply", path);
    GT_TRY(gt_bundle_open(&bundle, path));
    GT_TRY(gt_cli_warn_device(bundle->content.plan, path));
    GT_TRY(gt_cli_pin(cpus, threads > 0 ? threads : bundle->content.plan->threads, quiet));
    GT_TRY(gt_deployment_create(deployment, bundle, threads));
done:
    gt_bundle_close(bundle);
    return status;
}
