/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of .param: the magic number, "layers blobs", then a layer a line:
 *
 *   Convolution  conv1  1 1  data conv1  0=64 1=7 3=2 -23310=2,0.0,6.0
 *
 * type, name, numbers of bottoms and tops, their names, and id=value; an array is -(23300 + id)=count,values
 * or, as newer tools write it, id=value,value. */
#include "src/import/ncnn_param.h"

#include "src/base/text.h"
#include "src/base/utf8.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Words of one line. A word is a part of the file's own memory. */
typedef struct words {
    const char *at, *end; /* of the line */
    const char *word;
    size_t length;
} words;

static bool next_word(words *w)
{
    while (w->at < w->end && strchr(" \t\r\v\f", *w->at) != NULL) {
        w->at++;
    }
    w->word = w->at;
    while (w->at < w->end && strchr(" \t\r\v\f", *w->at) == NULL) {
        w->at++;
    }
    w->length = (size_t)(w->at - w->word);
    return w->length > 0;
}

/* Text that is not trusted to be short, for messages. */
static const char *shown(char buffer[48], const char *text, size_t length)
{
    snprintf(buffer, 48, length > 40 ? "%.*s..." : "%.*s", (int)(length > 40 ? 40 : length), text);
    return buffer;
}

/* Types and names go into messages, records and plans. */
static gt_status copy_name(char **out, const char *text, size_t length)
{
    gt_status status = GT_OK;
    char buffer[48];
    GT_REQUIRE(gt_i_is_text(text, length), GT_ERROR_FORMAT,
               "the name '%s' has bytes that are not UTF-8 text, or control characters", shown(buffer, text, length));
    GT_TRY(gt_calloc(out, length + 1, 1));
    memcpy(*out, text, length);
done:
    return status;
}

static bool parse_int(int64_t *out, const char *text, size_t length)
{
    char buffer[24];
    if (length == 0 || length >= sizeof buffer) {
        return false;
    }
    memcpy(buffer, text, length);
    buffer[length] = '\0';
    return gt_parse_i64(out, buffer[0] == '+' ? buffer + 1 : buffer);
}

static bool parse_float(float *out, const char *text, size_t length)
{
    char buffer[64];
    double value = 0;
    if (length == 0 || length >= sizeof buffer) {
        return false;
    }
    memcpy(buffer, text, length);
    buffer[length] = '\0';
    if (!gt_parse_f64(&value, buffer[0] == '+' ? buffer + 1 : buffer) || isnan(value)) {
        return false;
    }
    *out = value > (double)FLT_MAX ? FLT_MAX : value < -(double)FLT_MAX ? -FLT_MAX : (float)value;
    return true;
}

/* ---- parameters ---- */

static gt_status parse_number(gt_ncnn_number *out, const char *text, size_t length, int64_t id)
{
    int64_t integer = 0;
    float real = 0;
    char buffer[48];
    if (length > 0 && *text == '"') {
        out->form = GT_NCNN_STRING;
    } else if (parse_int(&integer, text, length) && integer >= INT32_MIN && integer <= UINT32_MAX) {
        out->form = GT_NCNN_INT;
        out->bits = (uint32_t)integer;
    } else if (parse_float(&real, text, length)) {
        out->form = GT_NCNN_FLOAT;
        memcpy(&out->bits, &real, sizeof real);
    } else {
        return gt_fail(GT_ERROR_FORMAT, "parameter %lld is '%s'; a 32-bit integer or a number is needed",
                       (long long)id, shown(buffer, text, length));
    }
    return GT_OK;
}

static int64_t count_commas(const char *text, const char *end)
{
    int64_t count = 0;
    for (; text < end; text++) {
        count += *text == ',';
    }
    return count;
}

/* `count` numbers separated by commas, which are there. */
static gt_status parse_list(gt_ncnn_layer *layer, int64_t id, bool array, const char *text, const char *end,
                            int64_t count)
{
    gt_status status = GT_OK;
    gt_ncnn_number *numbers = NULL;
    GT_TRY(gt_i_ncnn_add_param(&numbers, layer, id, array, count));
    for (int64_t i = 0; i < count; i++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const char *stop = comma != NULL ? comma : end;
        GT_TRY(parse_number(&numbers[i], text, (size_t)(stop - text), id));
        text = comma != NULL ? comma + 1 : end;
    }
done:
    return status;
}

static gt_status parse_param(gt_ncnn_layer *layer, const words *w)
{
    gt_status status = GT_OK;
    char buffer[48];
    int64_t id = 0;
    int64_t count = 0;
    const char *end = w->word + w->length;
    const char *equals = memchr(w->word, '=', w->length);
    GT_REQUIRE(equals != NULL && parse_int(&id, w->word, (size_t)(equals - w->word)), GT_ERROR_FORMAT,
               "'%s' stands where a parameter, id=value, is needed", shown(buffer, w->word, w->length));
    const char *value = equals + 1;
    int64_t commas = *value == '"' ? 0 : count_commas(value, end);
    if (id > -23300) {
        GT_TRY(parse_list(layer, id, commas > 0, value, end, commas + 1));
        goto done;
    }
    const char *comma = memchr(value, ',', (size_t)(end - value));
    const char *stop = comma != NULL ? comma : end;
    id = id < -(int64_t)INT32_MAX ? INT32_MAX : -id - 23300;
    GT_REQUIRE(parse_int(&count, value, (size_t)(stop - value)) && count == commas, GT_ERROR_FORMAT,
               "array parameter %lld states '%s' elements and has %lld", (long long)id,
               shown(buffer, value, (size_t)(stop - value)), (long long)commas);
    GT_TRY(parse_list(layer, id, true, comma != NULL ? comma + 1 : end, end, count));
done:
    return status;
}

/* ---- layers ---- */

static gt_status parse_count(int64_t *count, words *w, const char *what)
{
    char buffer[48];
    bool there = next_word(w);
    if (there && parse_int(count, w->word, w->length) && *count >= 0 && *count <= INT32_MAX) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_FORMAT, "the number of %s is '%s'; 0 to 2147483647 is needed", what,
                   there ? shown(buffer, w->word, w->length) : "");
}

static gt_status parse_blobs(gt_ncnn_model *model, gt_ncnn_layer *layer, words *w, int64_t count, bool tops)
{
    gt_status status = GT_OK;
    char *name = NULL;
    for (int64_t i = 0; i < count; i++) {
        GT_REQUIRE(next_word(w), GT_ERROR_FORMAT, "it states %lld %s and names only %lld", (long long)count,
                   tops ? "tops" : "bottoms", (long long)i);
        GT_TRY(copy_name(&name, w->word, w->length));
        GT_TRY(tops ? gt_i_ncnn_add_top(model, layer, name) : gt_i_ncnn_add_bottom(model, layer, name));
        gt_free(name);
        name = NULL;
    }
done:
    gt_free(name);
    return status;
}

static gt_status parse_rest(gt_ncnn_model *model, gt_ncnn_layer *layer, words *w)
{
    gt_status status = GT_OK;
    int64_t n_bottoms = 0;
    int64_t n_tops = 0;
    GT_TRY(parse_count(&n_bottoms, w, "bottoms"));
    GT_TRY(parse_count(&n_tops, w, "tops"));
    GT_TRY(parse_blobs(model, layer, w, n_bottoms, false));
    GT_TRY(parse_blobs(model, layer, w, n_tops, true));
    while (next_word(w)) {
        GT_TRY(parse_param(layer, w));
    }
done:
    return status;
}

/* `w` holds the layer's first word. */
static gt_status parse_layer(gt_ncnn_model *model, words *w, int64_t line)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_grow(&model->layers, &model->layers_capacity, (size_t)model->n_layers,
                     sizeof *model->layers));
    gt_ncnn_layer *layer = &model->layers[model->n_layers];
    layer->place = line;
    GT_TRY(copy_name(&layer->type, w->word, w->length));
    GT_REQUIRE(next_word(w), GT_ERROR_FORMAT, "a layer of type '%.40s' has no name", layer->type);
    GT_TRY(copy_name(&layer->name, w->word, w->length));
    status = parse_rest(model, layer, w);
    if (status != GT_OK) {
        return gt_ncnn_fail_at(status, model, layer);
    }
    model->n_layers++;
    return GT_OK;
done:
    return gt_fail_in(status, "line %lld", (long long)line);
}

/* ---- the file ---- */

static gt_status parse_header(gt_ncnn_model *model, words *w, int n_seen, int64_t line)
{
    gt_status status = GT_OK;
    char buffer[48];
    int64_t magic = 0;
    if (n_seen == 0) {
        GT_REQUIRE(parse_int(&magic, w->word, w->length) && magic == GT_NCNN_MAGIC, GT_ERROR_FORMAT,
                   "line %lld: the file begins with '%s'; %d is needed (older files have to be converted "
                   "with ncnn's own tools)", (long long)line, shown(buffer, w->word, w->length),
                   GT_NCNN_MAGIC);
        GT_REQUIRE(!next_word(w), GT_ERROR_FORMAT, "line %lld: '%s' stands behind the magic number",
                   (long long)line, shown(buffer, w->word, w->length));
        goto done;
    }
    w->at = w->word;
    GT_TRY(parse_count(&model->stated_layers, w, "layers"));
    GT_TRY(parse_count(&model->stated_blobs, w, "blobs"));
done:
    return status;
}

gt_status gt_i_ncnn_parse_text(gt_ncnn_model *model, const char *data, size_t bytes)
{
    gt_status status = GT_OK;
    const char *end = data + bytes;
    const char *nul = memchr(data, 0, bytes);
    int n_seen = 0;
    int64_t line = 1;
    GT_REQUIRE(nul == NULL, GT_ERROR_FORMAT, "byte %lld is zero; this is neither a .param text nor a "
               ".param.bin file", (long long)(nul - data));
    for (const char *at = data; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        words w = {.at = at, .end = stop != NULL ? stop : end};
        at = w.end + 1;
        if (!next_word(&w)) {
            continue;
        }
        if (n_seen < 2) {
            status = parse_header(model, &w, n_seen, line);
            if (status != GT_OK && n_seen == 1) {
                status = gt_fail_in(status, "line %lld", (long long)line);
            }
            GT_TRY(status);
        } else {
            GT_TRY(parse_layer(model, &w, line));
        }
        n_seen++;
    }
    GT_REQUIRE(n_seen >= 2, GT_ERROR_FORMAT, "the file ends before the line with the numbers of layers and "
               "blobs");
done:
    return status;
}
