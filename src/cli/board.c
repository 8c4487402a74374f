/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/board.h"

#include "src/cli/agent.h"

#include "src/base/file.h"
#include "src/cli/common.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGENT "graphtune-board"

/* ---- commands ---- */

/* Runs a script in the folder. What it is for stands in the message when it fails. */
static gt_status run_there(const gt_board *b, const char *script, const char *purpose, const gt_ssh_io *io)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    bool interrupted = false;
    int code = 0;
    GT_TRY(gt_text_append(&text, "cd -- "));
    GT_TRY(gt_ssh_quote(&text, b->folder));
    GT_TRY(gt_text_append(&text, " && %s", script));
    GT_TRY(gt_ssh_run(&code, &interrupted, &b->ssh, text.data, io));
    GT_REQUIRE(!interrupted, GT_ERROR_IO, "interrupted; the same command continues");
    GT_REQUIRE(code == 0, GT_ERROR_IO, "%s: %s failed there (exit status %d)", b->ssh.target, purpose, code);
done:
    gt_text_destroy(&text);
    return status;
}

/* "./NAME" with a suffix, quoted. */
static gt_status append_name(gt_text *text, const char *name, const char *suffix)
{
    gt_status status = GT_OK;
    gt_text whole = {0};
    GT_TRY(gt_text_append(&whole, "./%s%s", name, suffix));
    GT_TRY(gt_ssh_quote(text, whole.data));
done:
    gt_text_destroy(&whole);
    return status;
}

gt_status gt_board_run(const gt_board *b, const char *arguments, bool heartbeat, bool quiet)
{
    gt_status status = GT_OK;
    gt_text script = {0};
    gt_text said = {0};
    const gt_ssh_io io = {.heartbeat = heartbeat, .output = quiet ? &said : NULL};
    GT_TRY(gt_text_append(&script, "exec ./" AGENT " %s", arguments));
    GT_TRY(run_there(b, script.data, AGENT, &io));
done:
    gt_text_destroy(&said);
    gt_text_destroy(&script);
    return status;
}

/* ---- opening ---- */

gt_status gt_board_open(gt_board *b, const char *where, const char *folder, const gt_cli_list *ssh_options)
{
    gt_status status = GT_OK;
    gt_text script = {0};
    gt_text said = {0};
    bool interrupted = false;
    int code = 0;
    *b = (gt_board){.folder = strncmp(folder, "~/", 2) == 0 ? folder + 2 : folder};
    GT_REQUIRE(*b->folder != '\0', GT_ERROR_ARGUMENT, "--board-dir \"%s\": a folder is needed", folder);
    GT_TRY(gt_ssh_open(&b->ssh, where, ssh_options));
    GT_TRY(gt_text_append(&script, "mkdir -p -- "));
    GT_TRY(gt_ssh_quote(&script, b->folder));
    GT_TRY(gt_text_append(&script, " && uname -m"));
    GT_TRY(gt_ssh_run(&code, &interrupted, &b->ssh, script.data, &(gt_ssh_io){.output = &said}));
    GT_REQUIRE(!interrupted, GT_ERROR_IO, "interrupted");
    GT_REQUIRE(code == 0 && said.length > 0, GT_ERROR_IO, "%s: the folder %s cannot be made there (exit status %d)", where, folder,
               code);
    said.data[strcspn(said.data, "\r\n")] = '\0';
    GT_REQUIRE(strlen(said.data) < sizeof b->arch && strchr(said.data, '/') == NULL, GT_ERROR_FORMAT,
               "%s: `uname -m` says \"%.60s\" there: no architecture", where, said.data);
    strcpy(b->arch, said.data);
done:
    gt_text_destroy(&said);
    gt_text_destroy(&script);
    return status;
}

void gt_board_close(gt_board *b)
{
    gt_ssh_clear(&b->ssh);
}

/* ---- files ---- */

/* The SHA-256 of a file there; "" where there is none, or no sha256sum. */
static gt_status ask_sha256(const gt_board *b, char sha256[65], const char *name)
{
    gt_status status = GT_OK;
    gt_text script = {0};
    gt_text said = {0};
    GT_TRY(gt_text_append(&script, "{ sha256sum <"));
    GT_TRY(append_name(&script, name, ""));
    GT_TRY(gt_text_append(&script, " || echo none; } 2>/dev/null"));
    GT_TRY(run_there(b, script.data, "sha256sum", &(gt_ssh_io){.output = &said}));
    const size_t digits = said.data != NULL ? strspn(said.data, "0123456789abcdef") : 0;
    sha256[0] = '\0';
    if (digits == 64) {
        memcpy(sha256, said.data, 64);
        sha256[64] = '\0';
    }
done:
    gt_text_destroy(&said);
    gt_text_destroy(&script);
    return status;
}

gt_status gt_board_has(const gt_board *b, bool *has, const char *name)
{
    gt_status status = GT_OK;
    gt_text script = {0};
    gt_text said = {0};
    GT_TRY(gt_text_append(&script, "if test -f "));
    GT_TRY(append_name(&script, name, ""));
    GT_TRY(gt_text_append(&script, "; then echo yes; else echo no; fi"));
    GT_TRY(run_there(b, script.data, "test", &(gt_ssh_io){.output = &said}));
    *has = said.data != NULL && strncmp(said.data, "yes", 3) == 0;
done:
    gt_text_destroy(&said);
    gt_text_destroy(&script);
    return status;
}

/* A connection that breaks looks like the end of the file: its size tells. */
static gt_status put_file(const gt_board *b, const char *path, const char *name, int64_t bytes)
{
    gt_status status = GT_OK;
    gt_text script = {0};
    const gt_ssh_io io = {.input_path = path};
    GT_TRY(gt_text_append(&script, "cat >"));
    GT_TRY(append_name(&script, name, ".new"));
    GT_TRY(gt_text_append(&script, " && test \"$(wc -c <"));
    GT_TRY(append_name(&script, name, ".new"));
    GT_TRY(gt_text_append(&script, ")\" -eq %lld && chmod 755 ", (long long)bytes));
    GT_TRY(append_name(&script, name, ".new"));
    GT_TRY(gt_text_append(&script, " && mv -f "));
    GT_TRY(append_name(&script, name, ".new"));
    GT_TRY(gt_text_append(&script, " "));
    GT_TRY(append_name(&script, name, ""));
    GT_TRY(run_there(b, script.data, "writing a file", &io));
done:
    gt_text_destroy(&script);
    return status;
}

gt_status gt_board_send(const gt_board *b, bool *sent, const char *path, const char *name)
{
    gt_status status = GT_OK;
    char own[65], theirs[65];
    struct stat info;
    GT_REQUIRE(stat(path, &info) == 0, GT_ERROR_IO, "%s: %s", path, strerror(errno));
    GT_TRY(gt_cli_file_sha256(own, path));
    GT_TRY(ask_sha256(b, theirs, name));
    const bool differs = strcmp(own, theirs) != 0;
    if (differs) {
        GT_TRY(put_file(b, path, name, info.st_size));
    }
    if (sent != NULL) {
        *sent = differs;
    }
done:
    return status;
}

gt_status gt_board_fetch(const gt_board *b, const char *path, const char *name)
{
    gt_status status = GT_OK;
    gt_text script = {0};
    gt_text fresh = {0};
    GT_TRY(gt_text_append(&fresh, "%s.tmp.%ld", path, (long)getpid()));
    GT_TRY(gt_text_append(&script, "exec cat <"));
    GT_TRY(append_name(&script, name, ""));
    GT_TRY(run_there(b, script.data, "reading a file", &(gt_ssh_io){.output_path = fresh.data}));
    GT_REQUIRE(rename(fresh.data, path) == 0, GT_ERROR_IO, "%s: %s", path, strerror(errno));
done:
    if (status != GT_OK && fresh.data != NULL) {
        unlink(fresh.data);
    }
    gt_text_destroy(&fresh);
    gt_text_destroy(&script);
    return status;
}

/* ---- the program there ---- */

static gt_status read_device(gt_board *b, const char *json, size_t bytes)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    const char *hash = NULL, *isa = NULL, *model = "";
    GT_TRY(gt_json_parse(&root, json, bytes, AGENT " device", 0));
    GT_TRY(gt_json_get_string(root, "hash", &hash));
    GT_TRY(gt_json_get_string(root, "isa", &isa));
    if (gt_json_find(root, "model") != NULL) {
        GT_TRY(gt_json_get_string(root, "model", &model));
    }
    GT_REQUIRE(strlen(hash) == 16 && strspn(hash, "0123456789abcdef") == 16, GT_ERROR_FORMAT,
               AGENT " device: hash is \"%.40s\"; 16 hexadecimal digits are needed", hash);
    snprintf(b->device, sizeof b->device, "%s", hash);
    snprintf(b->isa, sizeof b->isa, "%s", isa);
    snprintf(b->model, sizeof b->model, "%.127s", model);
done:
    gt_json_destroy(root);
    return status;
}

gt_status gt_board_install(gt_board *b, bool *sent, const char *agent)
{
    gt_status status = GT_OK;
    gt_text found = {0};
    gt_text said = {0};
    GT_TRY(agent != NULL ? gt_text_append(&found, "%s", agent) : gt_cli_find_agent(&found, b->arch));
    GT_TRY(gt_board_send(b, sent, found.data, AGENT));
    GT_TRY(run_there(b, "exec ./" AGENT " device --json", AGENT " (is it for this architecture?)", &(gt_ssh_io){.output = &said}));
    GT_TRY(read_device(b, said.data != NULL ? said.data : "", said.length));
done:
    gt_text_destroy(&said);
    gt_text_destroy(&found);
    return status;
}
