// The address forms that the programs here take: "host:port" with a number as host, "tcp://" before it or not,
// and the path of a Unix socket.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in ip;
        struct sockaddr_un path;
    } value;
    socklen_t size;
};

static inline bool read_path(const char *text, struct address *address) {
    address->value.path.sun_family = AF_UNIX;
    address->size = sizeof address->value.path;
    if (strlen(text) >= sizeof address->value.path.sun_path) return false;
    strcpy(address->value.path.sun_path, text);
    return true;
}

static inline bool read_address(const char *text, struct address *address) {
    memset(address, 0, sizeof *address);
    if (strncmp(text, "tcp://", 6) == 0) text += 6;
    if (strncmp(text, "unix://", 7) == 0) text += 7;
    if (text[0] == '/') return read_path(text, address);
    char host[INET_ADDRSTRLEN] = "", *end = NULL;
    const char *colon = strrchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof host) return false;
    memcpy(host, text, (size_t)(colon - text));
    const unsigned long port = strtoul(colon + 1, &end, 10);
    if (end == colon + 1 || *end || port > 65535) return false;
    address->value.ip.sin_family = AF_INET;
    address->value.ip.sin_port = htons((uint16_t)port);
    address->size = sizeof address->value.ip;
    return inet_pton(AF_INET, host, &address->value.ip.sin_addr) == 1;
}
