// The floor of frames (docs/reference/protocol.md, part 1): finds each request's length and stream, and answers it with
// fixed bytes. The payload is read and not decoded.
#include "loop.h"

enum { HEADER = 10, REQUEST = 1, RESPONSE = 2 };

// A header without its stream, and an envelope with `allowed: true, reason: "ALLOWED"`.
static const uint8_t fixed_answer[] = {
    0, 0, 0, 13, 0, 0, 0, 0, RESPONSE, 0, 0x12, 11, 0x08, 1, 0x12, 7, 'A', 'L', 'L', 'O', 'W', 'E', 'D',
};

static size_t payload_length(const uint8_t *header) {
    return (size_t)header[0] << 24 | (size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3];
}

static ptrdiff_t serve(void *state, const uint8_t *input, size_t count, struct output *output) {
    (void)state;
    size_t taken = 0;
    while (count - taken >= HEADER && room(output) >= ROOM_MIN) {
        const uint8_t *header = input + taken;
        const size_t length = payload_length(header);
        const int is_odd = header[7] & 1;
        if (length > INPUT_MAX - HEADER || !is_odd) return -1;
        if (count - taken - HEADER < length) break;
        // Other types are extensions, which a server that does not know them skips.
        if (header[8] == REQUEST) {
            uint8_t *answer = output->bytes + output->count;
            append(output, fixed_answer, sizeof fixed_answer);
            memcpy(answer + 4, header + 4, 4);
        }
        taken += HEADER + length;
    }
    return (ptrdiff_t)taken;
}

int main(int count, char **arguments) {
    static const struct protocol frames = {.name = "frames-floor", .serve = serve};
    return run_server(&frames, count, arguments);
}
