/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc and /sys say about the machine, below GT_SYSROOT. */
#include "costmodel/device_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gt_i_sysroot(void)
{
    const char *root = getenv("GT_SYSROOT");
    return root != NULL ? root : "";
}

/* Cuts at the first control character (a device-tree string ends in NUL), trims, and keeps ASCII only: the
 * text goes into JSON and file names. */
static void clean(char *text)
{
    char *end = text;
    while ((unsigned char)*end >= 0x20) {
        if ((unsigned char)*end >= 0x7f) {
            *end = '?';
        }
        end++;
    }
    while (end > text && end[-1] == ' ') {
        end--;
    }
    *end = '\0';
    memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
}

static FILE *open_below_root(const char *format, va_list args)
{
    char path[1024];
    int head = snprintf(path, sizeof path, "%s", gt_i_sysroot());
    if (head < 0 || head >= (int)sizeof path) {
        return NULL;
    }
    int tail = vsnprintf(path + head, sizeof path - (size_t)head, format, args);
    return tail < 0 || tail >= (int)sizeof path - head ? NULL : fopen(path, "re");
}

static bool read_line(char *out, size_t bytes, const char *format, va_list args)
{
    FILE *file = open_below_root(format, args);
    out[0] = '\0';
    if (file == NULL) {
        return false;
    }
    bool got = fgets(out, (int)bytes, file) != NULL;
    fclose(file);
    if (!got) {
        out[0] = '\0';
    }
    clean(out);
    return out[0] != '\0';
}

bool gt_i_read_line(char *out, size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool got = read_line(out, bytes, format, args);
    va_end(args);
    return got;
}

int64_t gt_i_read_number(int64_t otherwise, const char *format, ...)
{
    char text[64];
    int64_t value = 0;
    va_list args;
    va_start(args, format);
    bool got = read_line(text, sizeof text, format, args);
    va_end(args);
    return got && gt_parse_i64(&value, text) ? value : otherwise;
}

/* ---- /proc/cpuinfo ---- */

/* The value of "key : value", cleaned, or NULL when the line has another key. */
static char *value_of(char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) {
        return NULL;
    }
    char *rest = line + length + strspn(line + length, " \t");
    if (*rest != ':') {
        return NULL;
    }
    rest++;
    rest += strspn(rest, " \t");
    clean(rest);
    return rest;
}

static gt_i_cpu *cpu_with_number(gt_i_cpu *cpus, int n, long number)
{
    for (int i = 0; i < n; i++) {
        if (cpus[i].number == number) {
            return &cpus[i];
        }
    }
    return NULL;
}

static void name_arm_core(gt_i_cpu *cpu, long implementer, const char *part_text)
{
    long part = strtol(part_text, NULL, 0);
    const char *known = gt_core_name((int)implementer, (int)part);
    if (known != NULL) {
        snprintf(cpu->name, sizeof cpu->name, "%s", known);
    } else {
        snprintf(cpu->name, sizeof cpu->name, "core 0x%02lx/0x%03lx", implementer & 0xff, part & 0xfff);
    }
}

static void read_cpuinfo(gt_i_cpu *cpus, int n, FILE *file)
{
    char line[4096];
    gt_i_cpu *cpu = NULL;
    long implementer = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *value = NULL;
        if ((value = value_of(line, "processor")) != NULL && isdigit((unsigned char)value[0])) {
            cpu = cpu_with_number(cpus, n, strtol(value, NULL, 10));
        } else if ((value = value_of(line, "CPU implementer")) != NULL) {
            implementer = strtol(value, NULL, 0);
        } else if (cpu != NULL && (value = value_of(line, "CPU part")) != NULL) {
            name_arm_core(cpu, implementer, value);
        } else if (cpu != NULL && cpu->name[0] == '\0' && (value = value_of(line, "model name")) != NULL) {
            snprintf(cpu->name, sizeof cpu->name, "%.63s", value);
        }
    }
}

static FILE *open_file(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    FILE *file = open_below_root(format, args);
    va_end(args);
    return file;
}

void gt_i_read_names(gt_i_cpu *cpus, int n)
{
    FILE *file = open_file("/proc/cpuinfo");
    if (file != NULL) {
        read_cpuinfo(cpus, n, file);
        fclose(file);
    }
    for (int i = 0; i < n; i++) {
        if (cpus[i].name[0] == '\0') {
            snprintf(cpus[i].name, sizeof cpus[i].name, "unknown core");
        }
        cpus[i].max_khz = gt_i_read_number(0, "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq",
                                           cpus[i].number);
    }
}
