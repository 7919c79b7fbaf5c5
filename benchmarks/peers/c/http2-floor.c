// The floor of HTTP/2 as long as libnghttp2's session frames it: every field of a request is handed out and its body
// is counted. Answers the check by gRPC and by REST with fixed bytes but for the date; messages are not decoded.
#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#include "loop.h"

enum { BODY_MAX = 4096, STREAMS_MAX = 128, PREFIX = 5 };

// One stream.
struct request {
    struct request *next, **link;
    bool is_grpc, is_json, is_method, is_route;
    size_t received_count;
    // The prefix of a message by gRPC: not deflated, and its length.
    uint8_t prefix[PREFIX];
    // The body of the answer.
    const uint8_t *body;
    size_t body_count, sent_count;
};

// One connection.
struct session {
    nghttp2_session *frames;
    // The streams that are open: the library does not hand them back when it is freed.
    struct request *requests;
    // Of the turn that goes on.
    struct output *output;
};

static const uint8_t message[] = {0, 0, 0, 0, 11, 0x08, 1, 0x12, 7, 'A', 'L', 'L', 'O', 'W', 'E', 'D'};
static const uint8_t json[] = "{\"allowed\":true,\"reason\":\"ALLOWED\"}";

#define FIELD(name, value) \
    {(uint8_t *)name, (uint8_t *)value, sizeof(name) - 1, sizeof(value) - 1, \
     NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE}
#define DATE \
    {(uint8_t *)"date", (uint8_t *)http_date, 4, DATE_LENGTH, \
     NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE}

static bool is_text(const uint8_t *bytes, size_t count, const char *text) {
    return count == strlen(text) && memcmp(bytes, text, count) == 0;
}

static int begin_headers(nghttp2_session *frames, const nghttp2_frame *frame, void *user) {
    struct session *session = user;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    struct request *request = calloc(1, sizeof *request);
    if (!request) return NGHTTP2_ERR_CALLBACK_FAILURE;
    request->next = session->requests;
    request->link = &session->requests;
    if (request->next) request->next->link = &request->next;
    session->requests = request;
    return nghttp2_session_set_stream_user_data(frames, frame->hd.stream_id, request);
}

static void free_request(struct request *request) {
    *request->link = request->next;
    if (request->next) request->next->link = request->link;
    free(request);
}

static int header(nghttp2_session *frames, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                  const uint8_t *value, size_t value_length, uint8_t flags, void *session) {
    (void)flags, (void)session;
    struct request *request = nghttp2_session_get_stream_user_data(frames, frame->hd.stream_id);
    if (!request) return 0;
    if (is_text(name, name_length, ":path")) {
        request->is_method = is_text(value, value_length, "/benchmark.v1.Permissions/Check");
        request->is_route = is_text(value, value_length, "/v1/check");
    } else if (is_text(name, name_length, "content-type")) {
        request->is_grpc = is_text(value, value_length, "application/grpc");
        request->is_json = is_text(value, value_length, "application/json");
    }
    return 0;
}

static int data(nghttp2_session *frames, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count,
                void *session) {
    (void)flags, (void)session;
    struct request *request = nghttp2_session_get_stream_user_data(frames, stream);
    if (!request) return 0;
    for (size_t i = 0; i < count && request->received_count + i < PREFIX; i++)
        request->prefix[request->received_count + i] = bytes[i];
    request->received_count += count;
    if (request->received_count <= BODY_MAX) return 0;
    return nghttp2_submit_rst_stream(frames, NGHTTP2_FLAG_NONE, stream, NGHTTP2_ENHANCE_YOUR_CALM);
}

// How much of a body the next frame has; a window may be smaller than it.
static ssize_t read_body(nghttp2_session *frames, int32_t stream, uint8_t *buffer, size_t length, uint32_t *flags,
                         nghttp2_data_source *source, void *session) {
    static const nghttp2_nv trailers[] = {FIELD("grpc-status", "0")};
    (void)buffer, (void)session;
    const struct request *request = source->ptr;
    const size_t left = request->body_count - request->sent_count;
    *flags = NGHTTP2_DATA_FLAG_NO_COPY;
    if (length < left) return (ssize_t)length;
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (request->is_grpc) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        if (nghttp2_submit_trailer(frames, stream, trailers, 1) != 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return (ssize_t)left;
}

static int send_body(nghttp2_session *frames, nghttp2_frame *frame, const uint8_t *header, size_t count,
                     nghttp2_data_source *source, void *user) {
    (void)frames, (void)frame;
    struct session *session = user;
    struct request *request = source->ptr;
    if (room(session->output) < 9 + count) return NGHTTP2_ERR_WOULDBLOCK;
    append(session->output, header, 9);
    append(session->output, request->body + request->sent_count, count);
    request->sent_count += count;
    return 0;
}

static bool is_whole_message(const struct request *request) {
    const uint8_t *prefix = request->prefix;
    const size_t length = (size_t)prefix[1] << 24 | (size_t)prefix[2] << 16 | (size_t)prefix[3] << 8 | prefix[4];
    return request->received_count >= PREFIX && prefix[0] == 0 && length == request->received_count - PREFIX;
}

static int answer(nghttp2_session *frames, int32_t stream, struct request *request) {
    static const nghttp2_nv grpc_head[] = {FIELD(":status", "200"), FIELD("content-type", "application/grpc"), DATE};
    static const nghttp2_nv json_head[] = {FIELD(":status", "200"), FIELD("content-type", "application/json"),
                                           FIELD("content-length", "35"), DATE};
    static const nghttp2_nv not_found[] = {FIELD(":status", "404"), DATE};
    const nghttp2_data_provider body = {.source.ptr = request, .read_callback = read_body};
    if (request->is_method && request->is_grpc && is_whole_message(request)) {
        request->body = message;
        request->body_count = sizeof message;
        return nghttp2_submit_response(frames, stream, grpc_head, 3, &body);
    }
    if (request->is_route && request->is_json && request->received_count > 0) {
        request->body = json;
        request->body_count = sizeof json - 1;
        return nghttp2_submit_response(frames, stream, json_head, 4, &body);
    }
    return nghttp2_submit_response(frames, stream, not_found, 2, NULL);
}

static int frame_received(nghttp2_session *frames, const nghttp2_frame *frame, void *session) {
    (void)session;
    if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    struct request *request = nghttp2_session_get_stream_user_data(frames, frame->hd.stream_id);
    return request ? answer(frames, frame->hd.stream_id, request) : 0;
}

static int stream_closed(nghttp2_session *frames, int32_t stream, uint32_t code, void *session) {
    (void)code, (void)session;
    struct request *request = nghttp2_session_get_stream_user_data(frames, stream);
    if (request) free_request(request);
    return 0;
}

static ptrdiff_t serve(void *state, const uint8_t *input, size_t count, struct output *output) {
    struct session *session = state;
    session->output = output;
    if (count > 0 && nghttp2_session_mem_recv(session->frames, input, count) != (ssize_t)count) return -1;
    while (room(output) >= ROOM_MIN) {
        const uint8_t *bytes;
        const ssize_t made = nghttp2_session_mem_send(session->frames, &bytes);
        if (made < 0) return -1;
        if (made == 0) break;
        append(output, bytes, (size_t)made);
    }
    output->is_last = !nghttp2_session_want_read(session->frames) && !nghttp2_session_want_write(session->frames);
    return (ptrdiff_t)count;
}

static nghttp2_session_callbacks *callbacks;
static nghttp2_option *options;

static void end(void *state) {
    struct session *session = state;
    while (session->requests) free_request(session->requests);
    nghttp2_session_del(session->frames);
    free(session);
}

static void *begin(void) {
    static const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS_MAX}};
    struct session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    if (nghttp2_session_server_new2(&session->frames, callbacks, session, options) == 0) {
        if (nghttp2_submit_settings(session->frames, NGHTTP2_FLAG_NONE, settings, 1) == 0) return session;
        nghttp2_session_del(session->frames);
    }
    free(session);
    return NULL;
}

int main(int count, char **arguments) {
    static const struct protocol http2 = {.name = "http2-floor", .begin = begin, .serve = serve, .end = end};
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&options) != 0) return 1;
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_received);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_body);
    nghttp2_option_set_no_closed_streams(options, 1);
    return run_server(&http2, count, arguments);
}
