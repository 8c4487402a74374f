/* SPDX-License-Identifier: Apache-2.0 */
/* Core names by MIDR_EL1 implementer and part number, as /proc/cpuinfo shows them. Numbers from the cores'
 * Technical Reference Manuals (MIDR_EL1 register description) and, of other designers, from the Linux kernel's
 * arch/arm64/include/asm/cputype.h. */
#include "costmodel/device_internal.h"

#include <stddef.h>
#include <string.h>

struct core {
    int implementer, part;
    const char *name;
};

/* These are in the hashes of devices that have records. */
static const struct core hashed_cores[] = {
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

/* These have names for people only: a name added here changes no hash. */
static const struct core other_cores[] = {
    {0x41, 0xd85, "Cortex-X925"},       {0x41, 0xd87, "Cortex-A725"},        {0x41, 0xd8f, "Cortex-A320"},
    {0x42, 0x100, "Brahma-B53"},        {0x43, 0x0a1, "ThunderX"},           {0x43, 0x0af, "ThunderX2"},
    {0x48, 0xd02, "Kunpeng-TSV200"},    {0x48, 0xd40, "Kirin-A76"},          {0x4e, 0x003, "Denver-2"},
    {0x4e, 0x004, "Carmel"},            {0x50, 0x000, "X-Gene"},             {0x51, 0x001, "Oryon"},
    {0x51, 0x201, "Kryo-Silver"},       {0x51, 0x205, "Kryo-Gold"},          {0x51, 0x211, "Kryo-Gold"},
    {0x51, 0xc00, "Falkor"},            {0x53, 0x001, "Exynos-M1"},          {0x53, 0x002, "Exynos-M3"},
    {0x53, 0x003, "Exynos-M4"},         {0x53, 0x004, "Exynos-M5"},          {0x61, 0x024, "Icestorm-M1-Pro"},
    {0x61, 0x025, "Firestorm-M1-Pro"},  {0x61, 0x028, "Icestorm-M1-Max"},    {0x61, 0x029, "Firestorm-M1-Max"},
    {0x61, 0x034, "Blizzard-M2-Pro"},   {0x61, 0x035, "Avalanche-M2-Pro"},   {0x61, 0x038, "Blizzard-M2-Max"},
    {0x61, 0x039, "Avalanche-M2-Max"},  {0x6d, 0xd49, "Azure-Cobalt-100"},   {0xc0, 0xac4, "Ampere-1A"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *find(const struct core *cores, size_t n, int implementer, int part)
{
    for (size_t i = 0; i < n; i++) {
        if (cores[i].implementer == implementer && cores[i].part == part) {
            return cores[i].name;
        }
    }
    return NULL;
}

const char *gt_i_fingerprint_name(int implementer, int part)
{
    return find(hashed_cores, COUNT(hashed_cores), implementer, part);
}

const char *gt_core_name(int implementer, int part)
{
    const char *name = gt_i_fingerprint_name(implementer, part);
    return name != NULL ? name : find(other_cores, COUNT(other_cores), implementer, part);
}

/* In-order and efficiency cores; the widest ones; everything else lies between. */
int gt_i_core_weight(int64_t midr)
{
    static const char *const little[] = {"Cortex-A5",   "Cortex-A7",   "Cortex-A32",  "Cortex-A34", "Cortex-A35",
                                         "Cortex-A53",  "Cortex-A55",  "Cortex-A320", "Cortex-A510", "Cortex-A520",
                                         "Brahma-B53"};
    const char *name = midr >= 0 ? gt_core_name((int)(midr >> 24 & 0xff), (int)(midr >> 4 & 0xfff)) : NULL;
    if (name == NULL) {
        return 4;
    }
    for (size_t i = 0; i < COUNT(little); i++) {
        if (strcmp(name, little[i]) == 0) {
            return 2;
        }
    }
    if (strstr(name, "Silver") != NULL || strncmp(name, "Icestorm", 8) == 0 || strncmp(name, "Blizzard", 8) == 0) {
        return 2;
    }
    return strncmp(name, "Cortex-X", 8) == 0 ? 5 : 4;
}
