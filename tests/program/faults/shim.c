/* Failing or journaled storage: preloaded, it wraps the file calls of the C library. Only files whose
 * path begins with DOD_SHIM_PREFIX are affected; SQLite's index in shared memory (-shm) is excluded,
 * because it need not be durable.
 *
 * DOD_SHIM_FAIL="KIND N": the N-th call (from 1) of write, read, sync or truncate fails, and none
 * before it. KIND is one of
 *   eio        a write, sync or truncate fails with EIO, once
 *   enospc     from the N-th on all of them fail with ENOSPC
 *   short      a write writes only half of its bytes, and the next one fails with ENOSPC, once
 *   read       a read fails with EIO, once
 *   shortread  a read returns only half of its bytes, once
 *   stall      from the N-th on syncs take a minute
 * Only calls to which the kind applies are counted. The first failure is reported on stderr.
 *
 * DOD_SHIM_JOURNAL=FILE: all changes of the files are written to FILE, in order, as records of
 *   kind (1 byte), path length (4), offset (8), data length (8), path, data
 * with kinds W write, T truncate (offset: the length), S sync, U unlink, R rename (data: the new
 * path), C create. Numbers are little-endian. Each record is one writev, so that readers of FILE see
 * complete records; it is written after the call that it describes, and before that call returns.
 * Syncs of the real disk are skipped: the test chooses from FILE what a power cut loses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 65536

static char *paths[MOST_FILES]; /* the path of an affected descriptor, else 0 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *prefix;
static int journal = -1;
static char kind[16];
static long failing, calls;

#define REAL(result, name, ...) \
    static result (*real_##name)(__VA_ARGS__); \
    if (!real_##name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
    prefix = getenv("DOD_SHIM_PREFIX");
    const char *fail = getenv("DOD_SHIM_FAIL");
    if (fail) sscanf(fail, "%15s %ld", kind, &failing);
    const char *file = getenv("DOD_SHIM_JOURNAL");
    REAL(int, open, const char *, int, ...);
    if (file) journal = real_open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int counts(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return prefix && path && !strncmp(path, prefix, strlen(prefix))
        && !(length > 4 && !strcmp(path + length - 4, "-shm"));
}

static const char *path_of(int fd)
{
    return fd >= 0 && fd < MOST_FILES ? paths[fd] : 0;
}

/* The caller holds the lock. */
static void note(char what, const char *path, uint64_t offset, const void *data, uint64_t length)
{
    if (journal < 0) return;
    unsigned char head[21];
    uint32_t name = strlen(path);
    head[0] = what;
    memcpy(head + 1, &name, 4);
    memcpy(head + 5, &offset, 8);
    memcpy(head + 13, &length, 8);
    struct iovec parts[] = {
        {head, sizeof head}, {(void *)path, name}, {(void *)data, length}
    };
    if (writev(journal, parts, 3) != (ssize_t)(sizeof head + name + length)) abort();
}

static int is(const char *name) { return !strcmp(kind, name); }
static int fails_reads(void) { return is("read") || is("shortread"); }

/* Whether the current call is to fail. After a short write the disk is full. */
static int fails(void)
{
    if (!failing) return 0;
    long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (call == failing) dprintf(2, "shim: %s at call %ld\n", kind, call);
    if (is("enospc") || is("stall")) return call >= failing;
    if (is("short")) return call == failing || call == failing + 1;
    return call == failing;
}

/* Whether a sync or truncate fails; a stall waits here. */
static int fails_whole(void)
{
    if (fails_reads() || is("short") || !fails()) return 0;
    if (is("stall")) sleep(60);
    return !is("stall");
}

static ssize_t refuse(int error)
{
    errno = error;
    return -1;
}

static int opened(int fd, const char *path, int flags)
{
    if (fd >= 0 && fd < MOST_FILES && counts(path)) {
        pthread_mutex_lock(&lock);
        free(paths[fd]);
        paths[fd] = strdup(path);
        if (flags & O_CREAT) note('C', path, 0, "", 0);
        if (flags & O_TRUNC) note('T', path, 0, "", 0);
        pthread_mutex_unlock(&lock);
    }
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        REAL(int, name, const char *, int, ...); \
        return opened(real_##name(path, flags, mode), path, flags); \
    }
OPEN(open)
OPEN(open64)

int close(int fd)
{
    REAL(int, close, int);
    if (path_of(fd)) {
        pthread_mutex_lock(&lock);
        free(paths[fd]);
        paths[fd] = 0;
        pthread_mutex_unlock(&lock);
    }
    return real_close(fd);
}

/* A write at `offset`, or at the current position of the descriptor if it is negative. */
static ssize_t put(int fd, const void *data, size_t size, off_t offset)
{
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    REAL(ssize_t, write, int, const void *, size_t);
    const char *path = path_of(fd);
    if (!path) return offset < 0 ? real_write(fd, data, size) : real_pwrite(fd, data, size, offset);
    if (!fails_reads() && !is("stall") && fails()) {
        if (is("eio")) return refuse(EIO);
        if (is("enospc") || calls > failing || size < 2) return refuse(ENOSPC);
        size /= 2;
    }
    pthread_mutex_lock(&lock);
    off_t at = offset < 0 ? lseek(fd, 0, SEEK_CUR) : offset;
    ssize_t done = offset < 0 ? real_write(fd, data, size) : real_pwrite(fd, data, size, offset);
    if (done > 0) note('W', path, at, data, done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int fd, const void *data, size_t size) { return put(fd, data, size, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return put(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return put(fd, data, size, at); }

/* The number of bytes that a read may return; negative: it fails. */
static ssize_t allowed(int fd, size_t size)
{
    if (!path_of(fd) || !fails_reads() || !fails()) return size;
    return is("read") ? -1 : (ssize_t)(size / 2);
}

ssize_t read(int fd, void *data, size_t size)
{
    REAL(ssize_t, read, int, void *, size_t);
    ssize_t most = allowed(fd, size);
    return most < 0 ? refuse(EIO) : real_read(fd, data, most);
}

static ssize_t get(int fd, void *data, size_t size, off_t at)
{
    REAL(ssize_t, pread, int, void *, size_t, off_t);
    ssize_t most = allowed(fd, size);
    return most < 0 ? refuse(EIO) : real_pread(fd, data, most, at);
}

ssize_t pread(int fd, void *data, size_t size, off_t at) { return get(fd, data, size, at); }
ssize_t pread64(int fd, void *data, size_t size, off64_t at) { return get(fd, data, size, at); }

#define SYNC(name) \
    int name(int fd) \
    { \
        REAL(int, name, int); \
        const char *path = path_of(fd); \
        if (!path) return real_##name(fd); \
        if (fails_whole()) return refuse(is("eio") ? EIO : ENOSPC); \
        pthread_mutex_lock(&lock); \
        int done = journal < 0 ? real_##name(fd) : 0; \
        if (!done) note('S', path, 0, "", 0); \
        pthread_mutex_unlock(&lock); \
        return done; \
    }
SYNC(fsync)
SYNC(fdatasync)

static int cut(int fd, off_t length)
{
    REAL(int, ftruncate, int, off_t);
    const char *path = path_of(fd);
    if (!path) return real_ftruncate(fd, length);
    if (fails_whole()) return refuse(is("eio") ? EIO : ENOSPC);
    pthread_mutex_lock(&lock);
    int done = real_ftruncate(fd, length);
    if (!done) note('T', path, length, "", 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t length) { return cut(fd, length); }
int ftruncate64(int fd, off64_t length) { return cut(fd, length); }

int unlink(const char *path)
{
    REAL(int, unlink, const char *);
    pthread_mutex_lock(&lock);
    int done = real_unlink(path);
    if (!done && counts(path)) note('U', path, 0, "", 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int rename(const char *from, const char *to)
{
    REAL(int, rename, const char *, const char *);
    pthread_mutex_lock(&lock);
    int done = real_rename(from, to);
    if (!done && counts(from)) note('R', from, 0, to, strlen(to));
    pthread_mutex_unlock(&lock);
    return done;
}
