// The check as frames (docs/reference/protocol.md, part 1): requests are written, answers are read.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HEADER = 10, REQUEST = 1, RESPONSE = 2, REQUEST_MAX = 256 };

static inline uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void write_big_endian(uint8_t *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

// A field of bytes shorter than 128; returns the end.
static inline uint8_t *write_field(uint8_t *end, unsigned number, const void *bytes, size_t count) {
    *end++ = (uint8_t)(number << 3 | 2);
    *end++ = (uint8_t)count;
    memcpy(end, bytes, count);
    return end + count;
}

static inline uint8_t *write_text(uint8_t *end, unsigned number, const char *text) {
    return write_field(end, number, text, strlen(text));
}

// Makes a whole frame of at most REQUEST_MAX bytes; returns its length.
static inline size_t make_request(uint8_t *frame, const char *subject) {
    uint8_t message[128], *end = write_text(message, 1, subject), *start = frame + HEADER;
    end = write_text(end, 2, "device.unlock");
    end = write_text(end, 3, "portfolio/4711/unit/12/door/front");
    end = write_text(end, 4, "app");
    uint8_t *last = write_text(start, 1, "benchmark.v1.Permissions");
    last = write_text(last, 2, "Check");
    last = write_field(last, 3, message, (size_t)(end - message));
    memset(frame, 0, HEADER);
    write_big_endian(frame, (uint32_t)(last - start));
    frame[8] = REQUEST;
    return (size_t)(last - frame);
}

// Writes a frame of at most REQUEST_MAX bytes, whole but for its stream, made the first time; returns its length.
static inline size_t write_request(uint8_t *frame, bool is_slow) {
    static uint8_t made[2][REQUEST_MAX];
    static size_t lengths[2];
    if (lengths[is_slow] == 0) lengths[is_slow] = make_request(made[is_slow], is_slow ? "slow" : "user:3f2a9c1e");
    memcpy(frame, made[is_slow], lengths[is_slow]);
    return lengths[is_slow];
}

struct bytes {
    const uint8_t *next, *end;
};

static inline bool read_varint(struct bytes *bytes, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && bytes->next < bytes->end; shift += 7) {
        const uint8_t byte = *bytes->next++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128)) return true;
    }
    return false;
}

// The next field: a number, or bytes. Others end the reading, as the answer has none.
static inline bool read_field(struct bytes *bytes, uint64_t *key, uint64_t *value, struct bytes *content) {
    *content = (struct bytes){NULL, NULL};
    if (!read_varint(bytes, key) || !read_varint(bytes, value)) return false;
    if ((*key & 7) == 0) return true;
    if ((*key & 7) != 2 || *value > (uint64_t)(bytes->end - bytes->next)) return false;
    *content = (struct bytes){bytes->next, bytes->next + *value};
    bytes->next = content->end;
    return true;
}

static inline bool is_allowed_message(struct bytes message) {
    struct bytes reason = {NULL, NULL};
    uint64_t key, value, allowed = 0;
    while (message.next < message.end) {
        struct bytes content;
        if (!read_field(&message, &key, &value, &content)) return false;
        if (key == (1 << 3)) allowed = value;
        if (key == (2 << 3 | 2)) reason = content;
    }
    return allowed == 1 && reason.end - reason.next == 7 && memcmp(reason.next, "ALLOWED", 7) == 0;
}

// Whether the payload of a Response is a success with `allowed: true, reason: "ALLOWED"`.
static inline bool is_right_answer(const uint8_t *payload, size_t count) {
    static const uint8_t usual[] = {0x12, 11, 0x08, 1, 0x12, 7, 'A', 'L', 'L', 'O', 'W', 'E', 'D'};
    if (count == sizeof usual && memcmp(payload, usual, count) == 0) return true;
    struct bytes envelope = {payload, payload + count}, message = {NULL, NULL};
    uint64_t key, value;
    while (envelope.next < envelope.end) {
        struct bytes content;
        if (!read_field(&envelope, &key, &value, &content)) return false;
        // A status with anything in it but a code of zero is an error.
        if (key == (1 << 3 | 2) && value > 0 && !(value == 2 && content.next[0] == 8 && content.next[1] == 0))
            return false;
        if (key == (2 << 3 | 2)) message = content;
    }
    return message.next && is_allowed_message(message);
}
