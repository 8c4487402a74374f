/* SPDX-License-Identifier: Apache-2.0 */
/* Core names by MIDR_EL1 implementer and part number, as /proc/cpuinfo shows them. Numbers from the cores'
 * Technical Reference Manuals (MIDR_EL1 register description). */
#include "costmodel/device.h"

#include <stddef.h>

static const struct {
    int implementer, part;
    const char *name;
} cores[] = {
    {0x41, 0xc05, "Cortex-A5"},       {0x41, 0xc07, "Cortex-A7"},     {0x41, 0xc08, "Cortex-A8"},
    {0x41, 0xc09, "Cortex-A9"},       {0x41, 0xc0d, "Cortex-A17"},    {0x41, 0xc0e, "Cortex-A17"},
    {0x41, 0xc0f, "Cortex-A15"},      {0x41, 0xd01, "Cortex-A32"},    {0x41, 0xd02, "Cortex-A34"},
    {0x41, 0xd03, "Cortex-A53"},      {0x41, 0xd04, "Cortex-A35"},    {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd06, "Cortex-A65"},      {0x41, 0xd07, "Cortex-A57"},    {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd09, "Cortex-A73"},      {0x41, 0xd0a, "Cortex-A75"},    {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse-N1"},     {0x41, 0xd0d, "Cortex-A77"},    {0x41, 0xd0e, "Cortex-A76AE"},
    {0x41, 0xd40, "Neoverse-V1"},     {0x41, 0xd41, "Cortex-A78"},    {0x41, 0xd42, "Cortex-A78AE"},
    {0x41, 0xd43, "Cortex-A65AE"},    {0x41, 0xd44, "Cortex-X1"},     {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},     {0x41, 0xd48, "Cortex-X2"},     {0x41, 0xd49, "Neoverse-N2"},
    {0x41, 0xd4a, "Neoverse-E1"},     {0x41, 0xd4b, "Cortex-A78C"},   {0x41, 0xd4c, "Cortex-X1C"},
    {0x41, 0xd4d, "Cortex-A715"},     {0x41, 0xd4e, "Cortex-X3"},     {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd80, "Cortex-A520"},     {0x41, 0xd81, "Cortex-A720"},   {0x41, 0xd82, "Cortex-X4"},
    {0x41, 0xd84, "Neoverse-V3"},     {0x41, 0xd8e, "Neoverse-N3"},   {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "Kunpeng-920"},     {0x51, 0x800, "Kryo-2xx-Gold"}, {0x51, 0x801, "Kryo-2xx-Silver"},
    {0x51, 0x802, "Kryo-3xx-Gold"},   {0x51, 0x803, "Kryo-3xx-Silver"}, {0x51, 0x804, "Kryo-4xx-Gold"},
    {0x51, 0x805, "Kryo-4xx-Silver"}, {0x61, 0x022, "Icestorm-M1"},   {0x61, 0x023, "Firestorm-M1"},
    {0x61, 0x032, "Blizzard-M2"},     {0x61, 0x033, "Avalanche-M2"},  {0xc0, 0xac3, "Ampere-1"},
};

const char *gt_core_name(int implementer, int part)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        if (cores[i].implementer == implementer && cores[i].part == part) {
            return cores[i].name;
        }
    }
    return NULL;
}
