#define _GNU_SOURCE
#include "CurlFloor.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct Program {
    pid_t id;
    FILE *input;
    FILE *output;
    char *line;
    size_t room;
};

// Starts a shell that becomes the command, so that the id is that of the command.
static int start(pid_t *id, const char *command, const int *input, const int *output) {
    size_t size = strlen(command) + sizeof "exec ";
    char *words = malloc(size);
    if (!words) return -1;
    snprintf(words, size, "exec %s", command);
    char *arguments[] = {"sh", "-c", words, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (input) posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    if (output) posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    int code = posix_spawn(id, "/bin/sh", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(words);
    return code;
}

static bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) return false;
    // No other program shall hold an end: this one's would not end when its input does.
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

Program *program_start(const char *command) {
    Program *program = calloc(1, sizeof *program);
    int input[2], output[2];
    if (!program || !open_pipe(input) || !open_pipe(output)) return NULL;
    // A program that has ended is seen by its silence.
    signal(SIGPIPE, SIG_IGN);
    int code = start(&program->id, command, input, output);
    close(input[0]);
    close(output[1]);
    program->input = fdopen(input[1], "w");
    program->output = fdopen(output[0], "r");
    if (code == 0 && program->input && program->output) return program;
    free(program);
    return NULL;
}

int program_say(Program *program, const char *line) {
    return fprintf(program->input, "%s\n", line) > 0 && fflush(program->input) == 0 ? 0 : -1;
}

const char *program_hear(Program *program) {
    ssize_t length = getline(&program->line, &program->room, program->output);
    if (length <= 0) return NULL;
    if (program->line[length - 1] == '\n') program->line[length - 1] = 0;
    return program->line;
}

bool program_has_spoken(Program *program, int milliseconds) {
    struct pollfd output = {.fd = fileno(program->output), .events = POLLIN};
    return poll(&output, 1, milliseconds) > 0;
}

int program_end(Program *program) {
    fclose(program->input);
    // It ends with its input; one that does not is made to.
    int status = 0;
    for (int wait = 0; waitpid(program->id, &status, WNOHANG) == 0; wait++) {
        if (wait == 3000) kill(program->id, SIGKILL);
        usleep(1000);
    }
    fclose(program->output);
    free(program->line);
    free(program);
    return status;
}

uint64_t program_cpu_nanoseconds(const Program *program) {
#ifdef __linux__
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(program->id, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#else
    (void)program;
    return 0;
#endif
}

uint64_t program_peak_bytes(const Program *program) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)program->id);
    return peak_of_status(path);
}

static size_t entries_of(const char *path) {
    DIR *directory = opendir(path);
    if (!directory) return 0;
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

size_t program_descriptors(const Program *program) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)program->id);
    return entries_of(path);
}

size_t program_threads(const Program *program) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)program->id);
    return entries_of(path);
}

size_t open_descriptors(void) {
    // Without that of looking.
    size_t count = entries_of("/proc/self/fd");
    return count > 0 ? count - 1 : 0;
}

int command_run(const char *command) {
    pid_t id;
    int status = 0;
    if (start(&id, command, NULL, NULL) != 0 || waitpid(id, &status, 0) != id) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint64_t nanoseconds_of(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

uint64_t ended_cpu_nanoseconds(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
    return nanoseconds_of(usage.ru_utime) + nanoseconds_of(usage.ru_stime);
}
