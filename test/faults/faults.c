/* Faults of the system on demand, for a process that loads this by LD_PRELOAD. MILLRACE_FAULTS names
 * a file of numbers (64 bits each; faults.mjs has their places), which the test writes while the
 * process runs. Reads and writes fail only for files with "millrace-fault" in their path. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { THREADS, READ, READ_AFTER, WRITE_AFTER, REALTIME, MONOTONIC, STOPPED, INJECTED, NUMBERS };
enum { SHORT = 1, INTERRUPTED, BROKEN };

static volatile int64_t nothing[NUMBERS];
static volatile int64_t *numbers = nothing;

static void injected(void) { __atomic_fetch_add(&numbers[INJECTED], 1, __ATOMIC_SEQ_CST); }

/* Stops the thread that gets the signal, until the test lets it go on. */
static void stop(int signal) {
  (void)signal;
  int before = errno;
  injected();
  while (numbers[STOPPED] != 0) usleep(1000);
  errno = before;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("MILLRACE_FAULTS");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  size_t size = NUMBERS * sizeof *numbers;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  numbers = memory;
  struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
  sigaction(SIGURG, &action, NULL);
}

/* To a thread, whatever its process: kill() would choose one. */
int kill(pid_t thread, int signal) {
  if (signal == SIGURG) return (int)syscall(SYS_tgkill, getpid(), thread, signal);
  return (int)syscall(SYS_kill, thread, signal);
}

#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
  /* -1 refuses none, n the n-th from now and all later ones. */
  if (numbers[THREADS] > 0) __atomic_fetch_sub(&numbers[THREADS], 1, __ATOMIC_SEQ_CST);
  if (numbers[THREADS] == 0 && numbers != nothing) {
    injected();
    return EAGAIN;
  }
  return NEXT(pthread_create)(thread, attributes, run, argument);
}

static int concerned(int file) {
  char link[64], path[512];
  char digits[16];
  int before = errno, count = 0;
  for (int rest = file; count == 0 || rest > 0; rest /= 10) digits[count++] = '0' + rest % 10;
  strcpy(link, "/proc/self/fd/");
  size_t at = strlen(link);
  while (count > 0) link[at++] = digits[--count];
  link[at] = 0;
  ssize_t size = readlink(link, path, sizeof path - 1);
  errno = before;
  if (size <= 0) return 0;
  path[size] = 0;
  return strstr(path, "millrace-fault") != NULL;
}

/* How many bytes may be read; -1 with errno for a fault. */
static ssize_t readable(int file, size_t size) {
  int64_t kind = numbers[READ];
  if (kind == 0 || size == 0 || !concerned(file)) return size;
  if (kind == SHORT) {
    injected();
    return size < 1000 ? (ssize_t)size : (ssize_t)(size / 3);
  }
  int64_t left = __atomic_sub_fetch(&numbers[READ_AFTER], (int64_t)size, __ATOMIC_SEQ_CST);
  if (left > 0) return size;
  injected();
  if (kind == INTERRUPTED) __atomic_store_n(&numbers[READ_AFTER], (int64_t)size * 2, __ATOMIC_SEQ_CST);
  errno = kind == INTERRUPTED ? EINTR : EIO;
  return -1;
}

ssize_t read(int file, void *to, size_t size) {
  ssize_t part = readable(file, size);
  return part < 0 ? part : NEXT(read)(file, to, part);
}
ssize_t pread64(int file, void *to, size_t size, off64_t at) {
  ssize_t part = readable(file, size);
  return part < 0 ? part : NEXT(pread64)(file, to, part, at);
}
ssize_t pread(int file, void *to, size_t size, off_t at) { return pread64(file, to, size, at); }
ssize_t preadv64(int file, const struct iovec *to, int count, off64_t at) {
  ssize_t part = readable(file, count > 0 ? to[0].iov_len : 0);
  return part < 0 ? part : NEXT(preadv64)(file, to, count, at);
}

/* How many bytes may be written: a full disk takes part of the last write. */
static ssize_t writable(int file, size_t size) {
  if (numbers[WRITE_AFTER] < 0 || numbers == nothing || size == 0 || !concerned(file)) return size;
  int64_t before = __atomic_fetch_sub(&numbers[WRITE_AFTER], (int64_t)size, __ATOMIC_SEQ_CST);
  if (before >= (int64_t)size) return size;
  __atomic_store_n(&numbers[WRITE_AFTER], 0, __ATOMIC_SEQ_CST);
  injected();
  if (before > 0) return before;
  errno = ENOSPC;
  return -1;
}

ssize_t write(int file, const void *from, size_t size) {
  ssize_t part = writable(file, size);
  return part < 0 ? part : NEXT(write)(file, from, part);
}
ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
  ssize_t part = writable(file, size);
  return part < 0 ? part : NEXT(pwrite64)(file, from, part, at);
}
ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
  return pwrite64(file, from, size, at);
}
static ssize_t writable_parts(int file, const struct iovec *from, int count) {
  size_t size = 0;
  for (int at = 0; at < count; at++) size += from[at].iov_len;
  return writable(file, size) < (ssize_t)size ? -1 : 0;
}
ssize_t writev(int file, const struct iovec *from, int count) {
  if (writable_parts(file, from, count) == 0) return NEXT(writev)(file, from, count);
  errno = ENOSPC;
  return -1;
}
ssize_t pwritev64(int file, const struct iovec *from, int count, off64_t at) {
  if (writable_parts(file, from, count) == 0) return NEXT(pwritev64)(file, from, count, at);
  errno = ENOSPC;
  return -1;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static __typeof__(clock_gettime) *next;
  if (next == NULL) next = NEXT(clock_gettime);
  int result = next(clock, now);
  int64_t seconds = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? numbers[REALTIME]
                    : clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE
                        ? numbers[MONOTONIC]
                        : 0;
  now->tv_sec += seconds;
  return result;
}
