// The floor of REST by HTTP/1.1: looks at every line of a request's head, finds the length of its body, and answers
// POST /v1/check with fixed bytes but for the date. The body is read and not decoded.
#include <strings.h>

#include "loop.h"

enum { BODY_MAX = 4096 };

struct request {
    size_t head_length, content_length;
    bool is_check, is_last;
};

static bool is_text(const uint8_t *bytes, size_t count, const char *text) {
    return count == strlen(text) && strncasecmp((const char *)bytes, text, count) == 0;
}

// A whole number of at most BODY_MAX.
static bool read_length(const uint8_t *bytes, size_t count, size_t *length) {
    if (count == 0) return false;
    for (*length = 0; count > 0; bytes++, count--) {
        if (*bytes < '0' || *bytes > '9') return false;
        *length = *length * 10 + (size_t)(*bytes - '0');
        if (*length > BODY_MAX) return false;
    }
    return true;
}

// One field of the head; false if the connection cannot go on with it.
static bool read_field(const uint8_t *line, size_t count, struct request *request) {
    const uint8_t *colon = memchr(line, ':', count), *value = colon + 1, *end = line + count;
    if (!colon || colon == line) return false;
    const size_t name_length = (size_t)(colon - line);
    while (value < end && (*value == ' ' || *value == '\t')) value++;
    while (value < end && (end[-1] == ' ' || end[-1] == '\t')) end--;
    const size_t value_length = (size_t)(end - value);
    if (is_text(line, name_length, "content-length"))
        return read_length(value, value_length, &request->content_length);
    if (is_text(line, name_length, "connection")) request->is_last = is_text(value, value_length, "close");
    return !is_text(line, name_length, "transfer-encoding");
}

// Reads a head: 1 when it is whole, 0 when its end has not arrived, -1 when it is malformed or not supported.
static int read_head(const uint8_t *input, size_t count, struct request *request) {
    static const char check[] = "POST /v1/check HTTP/1.1";
    const uint8_t *line = input, *end = input + count, *feed;
    *request = (struct request){0};
    for (bool is_first = true; (feed = memchr(line, '\n', (size_t)(end - line))); is_first = false, line = feed + 1) {
        const size_t length = (size_t)(feed - line);
        if (length == 0 || feed[-1] != '\r') return -1;
        if (is_first) {
            if (length < 10 || memcmp(feed - 10, " HTTP/1.1", 9) != 0) return -1;
            request->is_check = length - 1 == sizeof check - 1 && memcmp(line, check, sizeof check - 1) == 0;
        } else if (length == 1) {
            request->head_length = (size_t)(feed + 1 - input);
            return 1;
        } else if (!read_field(line, length - 1, request)) {
            return -1;
        }
    }
    return 0;
}

static void write_answer(bool is_check, struct output *output) {
    static const char allowed[] = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 35\r\ndate: ";
    static const char not_found[] = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\ndate: ";
    static const char body[] = "\r\n\r\n{\"allowed\":true,\"reason\":\"ALLOWED\"}";
    if (is_check)
        append(output, allowed, sizeof allowed - 1);
    else
        append(output, not_found, sizeof not_found - 1);
    append(output, http_date, DATE_LENGTH);
    append(output, body, is_check ? sizeof body - 1 : 4);
}

static ptrdiff_t serve(void *state, const uint8_t *input, size_t count, struct output *output) {
    (void)state;
    size_t taken = 0;
    while (taken < count && room(output) >= ROOM_MIN && !output->is_last) {
        struct request request;
        const int found = read_head(input + taken, count - taken, &request);
        if (found < 0) return -1;
        if (found == 0 || count - taken - request.head_length < request.content_length) break;
        taken += request.head_length + request.content_length;
        write_answer(request.is_check, output);
        output->is_last = request.is_last;
    }
    return (ptrdiff_t)taken;
}

int main(int count, char **arguments) {
    static const struct protocol http1 = {.name = "http1-floor", .serve = serve};
    return run_server(&http1, count, arguments);
}
