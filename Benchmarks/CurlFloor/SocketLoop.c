#define _GNU_SOURCE
#include "CurlFloor.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int socket_loop_open(uint16_t port) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

// Reads one answer that has a Content-Length.
static int read_answer(int fd) {
    char answer[4096];
    size_t have = 0;
    size_t whole = 0;
    while (whole == 0 || have < whole) {
        ssize_t count = read(fd, answer + have, sizeof answer - 1 - have);
        if (count <= 0) return -1;
        have += (size_t)count;
        answer[have] = 0;
        char *end = strstr(answer, "\r\n\r\n");
        if (whole > 0 || !end) continue;
        char *length = strcasestr(answer, "\r\nContent-Length:");
        if (!length || length > end) return -1;
        whole = (size_t)(end + 4 - answer) + strtoul(length + 17, NULL, 10);
        if (whole >= sizeof answer) return -1;
    }
    return 0;
}

int socket_loop_run(int fd, uint16_t port, uint64_t *nanoseconds, size_t count) {
    char request[128];
    int length = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAccept: */*\r\n\r\n", port);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = clock_nanoseconds();
        if (write(fd, request, (size_t)length) != length || read_answer(fd) != 0) return -1;
        nanoseconds[i] = clock_nanoseconds() - start;
    }
    return 0;
}

void socket_loop_close(int fd) { close(fd); }
