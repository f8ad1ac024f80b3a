#define _GNU_SOURCE
#include "CurlFloor.h"
#ifdef __linux__
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// Answers are due in the order in which the requests came, so those that wait are a ring.
enum { ring_size = 1 << 16 };
static struct { uint64_t due; int socket; } ring[ring_size];
static size_t first, last;

static void watch(int queue, int socket) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
    epoll_ctl(queue, EPOLL_CTL_ADD, socket, &event);
}

static void answer_due(uint64_t now) {
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!";
    for (; first != last && ring[first % ring_size].due <= now; first++) {
        send(ring[first % ring_size].socket, answer, sizeof answer - 1, MSG_NOSIGNAL);
    }
}

static void serve(int listener, uint64_t delay) {
    int queue = epoll_create1(EPOLL_CLOEXEC);
    watch(queue, listener);
    struct epoll_event events[256];
    char bytes[4096];
    while (1) {
        uint64_t now = clock_nanoseconds();
        answer_due(now);
        int wait = first == last ? -1 : (int)((ring[first % ring_size].due - now) / 1000000) + 1;
        int count = epoll_wait(queue, events, 256, wait);
        for (int i = 0; i < count; i++) {
            int socket = events[i].data.fd;
            if (socket == listener) {
                int accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
                if (accepted >= 0) watch(queue, accepted);
            } else if (read(socket, bytes, sizeof bytes) <= 0) {
                close(socket);
            } else {
                // A request of the benchmark is small and comes in one piece.
                ring[last % ring_size].due = clock_nanoseconds() + delay;
                ring[last++ % ring_size].socket = socket;
            }
        }
    }
}

int slow_server_start(uint64_t delay) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096)) return -1;
    if (getsockname(listener, (struct sockaddr *)&address, &length)) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener, delay);
    }
    close(listener);
    return ntohs(address.sin_port);
}
#else
int slow_server_start(uint64_t delay) {
    (void)delay;
    return -1;
}
#endif
