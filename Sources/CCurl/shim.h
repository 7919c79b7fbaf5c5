// libcurl 7.88, and its variadic functions as functions Swift can call.
#pragma once

// The checks are for constant options; these functions have theirs in a parameter.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <sys/socket.h>

typedef size_t (*CCurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*CCurl_progress_callback)(void *context, curl_off_t to_receive, curl_off_t received,
                                       curl_off_t to_send, curl_off_t sent);
typedef curl_socket_t (*CCurl_socket_callback)(void *context, curlsocktype purpose,
                                               struct curl_sockaddr *address);

static inline CURLcode CCurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode CCurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
// libcurl copies the text.
static inline CURLcode CCurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode CCurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
// libcurl does not copy the list.
static inline CURLcode CCurl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(handle, option, list);
}
static inline CURLcode CCurl_set_bytes_callback(CURL *handle, CURLoption option,
                                                CCurl_bytes_callback callback) {
    return curl_easy_setopt(handle, option, callback);
}
static inline CURLcode CCurl_set_progress_callback(CURL *handle, CCurl_progress_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
}
static inline CURLcode CCurl_set_socket_callback(CURL *handle, CCurl_socket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}
static inline CURLcode CCurl_get_number(CURL *handle, CURLINFO information, long *value) {
    return curl_easy_getinfo(handle, information, value);
}

// Macros and nameless enumerations, with one type each.
static const size_t CCurl_READFUNC_ABORT = CURL_READFUNC_ABORT;
static const curl_socket_t CCurl_SOCKET_BAD = CURL_SOCKET_BAD;
static const long CCurl_GLOBAL_ALL = CURL_GLOBAL_ALL;
static const long CCurl_USESSL_NONE = CURLUSESSL_NONE;
static const long CCurl_USESSL_ALL = CURLUSESSL_ALL;
static const long CCurl_SSLVERSION_TLSv1_2 = CURL_SSLVERSION_TLSv1_2;
static const size_t CCurl_ERROR_SIZE = CURL_ERROR_SIZE;
