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
#include <sys/timerfd.h>
#include <unistd.h>

enum { most_connections = 1 << 16, events_at_once = 1024, most_delays = 16 };
// In nanoseconds, as all times here.
enum { most_lead = 50000 };

// An answer that waits for its time.
struct Waiting {
    int fd;
    // Which of the connections that had this descriptor, one after the other.
    uint32_t generation;
    uint64_t due;
};

// Those that wait equally long: the first that came is the first that is due.
struct Queue {
    uint64_t delay;
    struct Waiting *waiting;
    size_t first;
    size_t count;
};

struct Server {
    int epoll;
    int listener;
    // It wakes the loop for the answer that is due next: a wait of `epoll_wait` itself is of whole milliseconds, and of
    // 50 µs more, by which the system may put off the waits of a process, but not its timers.
    int timer;
    // For when it was set last.
    uint64_t alarm;
    // How late the loop runs after that, on the average.
    uint64_t lead;
    uint32_t generations[most_connections];
    // How many requests of the connection were answered.
    uint32_t turns[most_connections];
    struct Queue queues[most_delays];
    size_t queue_count;
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

static void watch(struct Server *server, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
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
        server->turns[fd] = 0;
        watch(server, fd, EPOLLIN);
    }
}

static void answer(int fd) {
    static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!";
    // A client that has gone is seen when the connection is read from.
    if (send(fd, response, sizeof response - 1, MSG_NOSIGNAL) < 0) return;
}

// The nanoseconds of `GET /150`, or of `GET /0,150` in turn, as the request is the connection's first, second and so on.
static uint64_t delay_of(const char *request, uint32_t turn) {
    const char *slash = strchr(request, '/');
    if (!slash) return 0;
    char *end;
    uint64_t delay = strtoull(slash + 1, &end, 10);
    if (*end == ',' && turn % 2 == 1) delay = strtoull(end + 1, NULL, 10);
    return delay * 1000;
}

// Nil if there are too many kinds of delay, or too many answers wait.
static struct Waiting *new_waiting(struct Server *server, uint64_t delay) {
    size_t index = 0;
    while (index < server->queue_count && server->queues[index].delay != delay) index++;
    struct Queue *queue = &server->queues[index];
    if (index == server->queue_count) {
        if (index == most_delays) return NULL;
        *queue = (struct Queue){.delay = delay, .waiting = calloc(most_connections, sizeof *queue->waiting)};
        if (!queue->waiting) return NULL;
        server->queue_count++;
    }
    if (queue->count == most_connections) return NULL;
    return &queue->waiting[(queue->first + queue->count++) % most_connections];
}

// A request without a body, which fits into one segment.
static void take(struct Server *server, int fd) {
    char request[4096];
    ssize_t length = read(fd, request, sizeof request - 1);
    if (length <= 0) {
        server->generations[fd]++;
        close(fd);
        return;
    }
    request[length] = 0;
    if (length < 4 || memcmp(request + length - 4, "\r\n\r\n", 4) != 0) return;
    uint64_t delay = delay_of(request, server->turns[fd]++);
    if (delay == 0) {
        answer(fd);
        return;
    }
    struct Waiting *last = new_waiting(server, delay);
    if (last) *last = (struct Waiting){fd, server->generations[fd], clock_nanoseconds() + delay};
}

static void answer_due(struct Queue *queue, const struct Server *server, uint64_t now) {
    for (; queue->count > 0; queue->count--, queue->first = (queue->first + 1) % most_connections) {
        struct Waiting *next = &queue->waiting[queue->first];
        if (next->due > now) return;
        if (server->generations[next->fd] == next->generation) answer(next->fd);
    }
}

static void answer_all_due(struct Server *server) {
    uint64_t now = clock_nanoseconds();
    for (size_t i = 0; i < server->queue_count; i++) answer_due(&server->queues[i], server, now);
}

struct Outlook {
    // When the next answer is due; 0 if none waits.
    uint64_t due;
    size_t count;
};

static struct Outlook outlook(const struct Server *server) {
    struct Outlook outlook = {0, 0};
    for (size_t i = 0; i < server->queue_count; i++) {
        const struct Queue *queue = &server->queues[i];
        if (queue->count == 0) continue;
        uint64_t first = queue->waiting[queue->first].due;
        if (outlook.due == 0 || first < outlook.due) outlook.due = first;
        outlook.count += queue->count;
    }
    return outlook;
}

// Where a processor has fallen asleep, the loop runs some 40 µs after the timer was to ring. A single answer that waits
// is therefore woken for so much earlier, and what is left of the time is spent on the processor. Where many wait, the
// processor is the client's.
static void note_alarm(struct Server *server) {
    uint64_t late = clock_nanoseconds() - server->alarm;
    if (late > most_lead) late = most_lead;
    server->lead = (7 * server->lead + late) / 8;
    struct Outlook next = outlook(server);
    if (next.count != 1 || next.due > server->alarm + most_lead) return;
    while (clock_nanoseconds() < next.due) {
    }
}

static void set_alarm(struct Server *server) {
    struct Outlook next = outlook(server);
    uint64_t alarm = next.due - (next.count == 1 ? server->lead : 0);
    // One that rings for nothing is no harm, and one that is left alone is a system call less.
    if (next.count == 0 || alarm == server->alarm) return;
    server->alarm = alarm;
    struct itimerspec time = {
        .it_value = {.tv_sec = (time_t)(alarm / 1000000000u), .tv_nsec = (long)(alarm % 1000000000u)}};
    timerfd_settime(server->timer, TFD_TIMER_ABSTIME, &time, NULL);
}

int late_server_run(void (*ready)(uint16_t port)) {
    struct Server *server = calloc(1, sizeof *server);
    uint16_t port = 0;
    if (!server) return -1;
    server->listener = listen_at(&port);
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    server->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (server->listener < 0 || server->epoll < 0 || server->timer < 0) return -1;
    watch(server, server->listener, EPOLLIN);
    watch(server, STDIN_FILENO, EPOLLIN);
    // At an edge: that it has rung need not be read.
    watch(server, server->timer, EPOLLIN | EPOLLET);
    ready(port);
    while (1) {
        struct epoll_event events[events_at_once];
        int count = epoll_wait(server->epoll, events, events_at_once, -1);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == STDIN_FILENO) return 0;
            if (fd == server->listener) accept_all(server);
            else if (fd == server->timer) note_alarm(server);
            else take(server, fd);
        }
        answer_all_due(server);
        set_alarm(server);
    }
}

#else

int late_server_run(void (*ready)(uint16_t port)) {
    (void)ready;
    return -1;
}

#endif
