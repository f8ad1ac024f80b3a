#define _GNU_SOURCE
#include "CurlFloor.h"

#ifdef __linux__

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most_connections = 1 << 16, events_at_once = 1024 };

// An answer that waits for its time. All wait equally long, so the first that came is the first that is due.
struct Waiting {
    int fd;
    // Which of the connections that had this descriptor, one after the other.
    uint32_t generation;
    uint64_t due;
};

struct Server {
    int epoll;
    int listener;
    uint64_t delay;
    uint32_t generations[most_connections];
    struct Waiting waiting[most_connections];
    size_t first;
    size_t count;
};

static int listen_at(uint16_t *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 65535) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

static void watch(struct Server *server, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void accept_all(struct Server *server) {
    int fd;
    while ((fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (fd >= most_connections) {
            close(fd);
            continue;
        }
        server->generations[fd]++;
        watch(server, fd);
    }
}

// A request without a body, which fits into one segment.
static void take(struct Server *server, int fd) {
    char request[4096];
    ssize_t length = read(fd, request, sizeof request);
    if (length <= 0) {
        server->generations[fd]++;
        close(fd);
        return;
    }
    if (length < 4 || memcmp(request + length - 4, "\r\n\r\n", 4) != 0 || server->count == most_connections) return;
    struct Waiting *last = &server->waiting[(server->first + server->count++) % most_connections];
    *last = (struct Waiting){fd, server->generations[fd], clock_nanoseconds() + server->delay};
}

static void answer_due(struct Server *server) {
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!";
    uint64_t now = clock_nanoseconds();
    for (; server->count > 0; server->count--, server->first = (server->first + 1) % most_connections) {
        struct Waiting *next = &server->waiting[server->first];
        if (next->due > now) return;
        if (server->generations[next->fd] != next->generation) continue;
        if (send(next->fd, answer, sizeof answer - 1, MSG_NOSIGNAL) < 0) continue;
    }
}

int late_server_run(uint64_t delay, void (*ready)(uint16_t port)) {
    struct Server *server = calloc(1, sizeof *server);
    uint16_t port = 0;
    if (!server) return -1;
    server->delay = delay;
    server->listener = listen_at(&port);
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (server->listener < 0 || server->epoll < 0) return -1;
    watch(server, server->listener);
    watch(server, STDIN_FILENO);
    ready(port);
    while (1) {
        struct epoll_event events[events_at_once];
        int count = epoll_wait(server->epoll, events, events_at_once, server->count > 0 ? 1 : -1);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == STDIN_FILENO) return 0;
            if (fd == server->listener) accept_all(server);
            else take(server, fd);
        }
        answer_due(server);
    }
}

#else

int late_server_run(uint64_t delay, void (*ready)(uint16_t port)) {
    (void)delay;
    (void)ready;
    return -1;
}

#endif
