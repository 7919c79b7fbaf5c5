// libcurl 7.88, loaded when it is first needed, and its variadic functions as functions Swift can call.
//
// Nothing is linked with libcurl: calling one of its own functions is an error of the linker.
#pragma once

// The checks are for constant options; these functions have theirs in a parameter.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>
#include <sys/socket.h>

// Loads the library and readies it; true if it can be used. To be called once, before everything else here.
bool CCurl_load(void);

// Why the library could not be loaded, as dlerror(3) has it, with a copy's lifetime; "" if it could.
const char *CCurl_load_error(void);

CURL *CCurl_easy_init(void);
void CCurl_easy_cleanup(CURL *handle);
CURLcode CCurl_easy_perform(CURL *handle);
const char *CCurl_easy_strerror(CURLcode code);
struct curl_slist *CCurl_slist_append(struct curl_slist *list, const char *line);
void CCurl_slist_free_all(struct curl_slist *list);

typedef size_t (*CCurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*CCurl_progress_callback)(void *context, curl_off_t to_receive, curl_off_t received,
                                       curl_off_t to_send, curl_off_t sent);
typedef curl_socket_t (*CCurl_socket_callback)(void *context, curlsocktype purpose,
                                               struct curl_sockaddr *address);

CURLcode CCurl_set_number(CURL *handle, CURLoption option, long value);
CURLcode CCurl_set_size(CURL *handle, CURLoption option, curl_off_t value);
// libcurl copies the text.
CURLcode CCurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode CCurl_set_pointer(CURL *handle, CURLoption option, void *value);
// libcurl does not copy the list.
CURLcode CCurl_set_list(CURL *handle, CURLoption option, struct curl_slist *list);
CURLcode CCurl_set_bytes_callback(CURL *handle, CURLoption option, CCurl_bytes_callback callback);
CURLcode CCurl_set_progress_callback(CURL *handle, CCurl_progress_callback callback);
CURLcode CCurl_set_socket_callback(CURL *handle, CCurl_socket_callback callback);
CURLcode CCurl_get_number(CURL *handle, CURLINFO information, long *value);

// Macros and nameless enumerations, with one type each.
static const size_t CCurl_READFUNC_ABORT = CURL_READFUNC_ABORT;
static const curl_socket_t CCurl_SOCKET_BAD = CURL_SOCKET_BAD;
static const long CCurl_USESSL_NONE = CURLUSESSL_NONE;
static const long CCurl_USESSL_ALL = CURLUSESSL_ALL;
static const long CCurl_SSLVERSION_TLSv1_2 = CURL_SSLVERSION_TLSv1_2;
static const size_t CCurl_ERROR_SIZE = CURL_ERROR_SIZE;
