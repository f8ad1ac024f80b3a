// What the figures are measured against: the same work in plain C, as somebody would write it who wants no library of
// ours. And the clocks and counters that both sides are read with.

#ifndef STRAIGHTLINE_CURL_FLOOR_H
#define STRAIGHTLINE_CURL_FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum CurlConnections {
    /// One, for all requests.
    curl_kept_connections,
    /// A new one for each request, of the same handle: it resumes its TLS session where the server lets it.
    curl_closed_connections,
    /// A new one for each request, of a new handle: it knows of no TLS session.
    curl_connections_of_new_handles,
} __attribute__((enum_extensibility(closed)));

/// What a CurlLoop does. All zero, it sends a GET as libcurl puts it together, on one connection.
struct CurlLoopOptions {
    /// Whether each header line of the answer goes to a callback, which drops it.
    bool takes_headers;
    /// How many header fields are sent beyond libcurl's own: `X-Field-7: the value of field 7`, counted from 0.
    size_t header_count;
    /// How many bytes are sent by PUT, from memory; of 0 nothing is, and it is a GET.
    size_t body_size;
    /// The bytes that libcurl takes from the socket at most at once; 0 leaves it to libcurl.
    size_t receive_buffer;
    enum CurlConnections connections;
};

/// One easy handle that sends the same request again and again.
typedef struct CurlLoop CurlLoop;

CurlLoop *_Nullable curl_loop_open(const char *_Nonnull url, struct CurlLoopOptions options);
/// Sends a header line more with each request.
void curl_loop_add_field(CurlLoop *_Nonnull loop, const char *_Nonnull line);
/// Performs `count` times and notes how long each took, if it is to. Returns libcurl's code, 0 if all went well.
int curl_loop_run(CurlLoop *_Nonnull loop, uint64_t *_Nullable nanoseconds, size_t count);
/// The bytes of body received so far.
uint64_t curl_loop_bytes(const CurlLoop *_Nonnull loop);
/// The last byte of the last body.
char curl_loop_last_byte(const CurlLoop *_Nonnull loop);
void curl_loop_close(CurlLoop *_Nonnull loop);

/// One multi handle that gets a URL again and again, `width` times at once.
typedef struct MultiLoop MultiLoop;

MultiLoop *_Nullable multi_loop_open(const char *_Nonnull url, size_t width);
/// Sends a header line more with each request.
void multi_loop_add_field(MultiLoop *_Nonnull loop, const char *_Nonnull line);
/// Gets it `count` times and notes for each its share of the time. Returns libcurl's code, 0 if all went well.
int multi_loop_run(MultiLoop *_Nonnull loop, uint64_t *_Nullable nanoseconds, size_t count);
/// The bytes of body received so far.
uint64_t multi_loop_bytes(const MultiLoop *_Nonnull loop);
void multi_loop_close(MultiLoop *_Nonnull loop);

enum TransferKind {
    /// A body that is counted and dropped.
    transfer_discard,
    /// A body that goes to a new file, which is synced and takes the place of the old one.
    transfer_to_file,
    /// A file that is sent by PUT.
    transfer_from_file,
} __attribute__((enum_extensibility(closed)));

/// One easy handle that moves a large body again and again.
typedef struct TransferLoop TransferLoop;

/// `path` is that of the file, where there is one.
TransferLoop *_Nullable transfer_loop_open(enum TransferKind kind, const char *_Nonnull url, const char *_Nonnull path);
/// Performs `count` times and notes how long each took. Returns 0 if all went well, else libcurl's code, a status that
/// is none of success, or -1 for a file.
int transfer_loop_run(TransferLoop *_Nonnull loop, uint64_t *_Nullable nanoseconds, size_t count);
/// The bytes of body moved so far.
uint64_t transfer_loop_bytes(const TransferLoop *_Nonnull loop);
void transfer_loop_close(TransferLoop *_Nonnull loop);

/// A socket connected to a port of 127.0.0.1, or -1.
int socket_loop_open(uint16_t port);
/// Writes the same GET and reads the whole answer, `count` times. Returns 0 if all went well, else -1.
int socket_loop_run(int socket, uint16_t port, uint64_t *_Nullable nanoseconds, size_t count);
void socket_loop_close(int socket);

/// Answers every GET on a port of 127.0.0.1 with 13 bytes, until the standard input ends. The path tells how many
/// microseconds after it came: `/150`, or `/0,150` for none and 150 in turn on each connection. `ready` is told the port.
/// Returns -1 if that cannot be done, as on systems other than Linux.
int late_server_run(void (*_Nonnull ready)(uint16_t port));

/// Runs `body` on a new thread that nobody joins. Returns 0 if there is one, else -1.
int thread_start(void (*_Nonnull body)(void *_Nullable context), void *_Nullable context);
/// The threads of this process; 0 if the system does not say.
size_t thread_count(void);

/// What a thread sleeps at, made of a POSIX mutex and a condition. A ring that nobody waits for is kept; two are one.
typedef struct Bell Bell;

Bell *_Nullable bell_create(void);
void bell_ring(Bell *_Nonnull bell);
void bell_wait(Bell *_Nonnull bell);
void bell_destroy(Bell *_Nonnull bell);

/// Another program, its standard input and output at the ends of pipes.
typedef struct Program Program;

/// Starts a command, as a shell reads it.
Program *_Nullable program_start(const char *_Nonnull command);
/// Writes a line to it. Returns 0, or -1 if it does not listen.
int program_say(Program *_Nonnull program, const char *_Nonnull line);
/// Waits for a line from it, which is valid until the next. NULL if it has ended.
const char *_Nullable program_hear(Program *_Nonnull program);
/// Waits until it has said something or has ended, at most so long. Returns whether it has.
bool program_has_spoken(Program *_Nonnull program, int milliseconds);
/// Ends its input, and itself if it does not end with that within seconds. Returns its status.
int program_end(Program *_Nonnull program);
/// As `cpu_nanoseconds` and `peak_resident_bytes`, of the program; 0 if the system does not say.
uint64_t program_cpu_nanoseconds(const Program *_Nonnull program);
uint64_t program_peak_bytes(const Program *_Nonnull program);
/// How many descriptors it has open; 0 if the system does not say.
size_t program_descriptors(const Program *_Nonnull program);
/// How many threads it has; 0 if the system does not say.
size_t program_threads(const Program *_Nonnull program);

/// Runs a command, as a shell reads it, to its end. Returns its exit code; -1 if it has none.
int command_run(const char *_Nonnull command);
/// Nanoseconds that commands which have ended have spent on a processor.
uint64_t ended_cpu_nanoseconds(void);

/// Nanoseconds of a clock that only goes forward.
uint64_t clock_nanoseconds(void);
/// Nanoseconds all threads of this process have spent on a processor, in user mode and in the kernel.
uint64_t cpu_nanoseconds(void);
/// The most memory this process has had at once, in bytes; 0 if the system does not say.
uint64_t peak_resident_bytes(void);
/// The same of the process whose status is in a file of Linux's /proc.
uint64_t peak_of_status(const char *_Nonnull path);
/// The memory this process has now, in bytes; 0 if the system does not say.
uint64_t resident_bytes(void);
/// How many descriptors this process has open; 0 if the system does not say.
size_t open_descriptors(void);
/// How many descriptors this process may have open from now on: as many as it may ask for.
uint64_t raise_descriptor_limit(void);
/// The allocations counted so far; -1 unless AllocationCounter is loaded.
int64_t allocations_so_far(void);

#endif
