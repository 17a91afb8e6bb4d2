/* Logs what a process does to the files below a folder, in the order in which it does it: the
 * folder as it would be after a loss of power can be made from the log at any moment in it.
 *
 * Preloaded (LD_PRELOAD). POWER_FOLDER names the folder, POWER_LOG the log. A record is: what was
 * done (1 byte), inode (8), offset or length (8), length of the data (4), the data.
 *
 * Without POWER_LOG nothing is logged. While the file POWER_BROKEN exists, every write to the
 * folder and every sync of it fails, as on a drive that has broken. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define INODES 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static size_t folder_len;
static const char *broken;
static int log_fd = -1;
/* The inodes of the files below the folder that were opened. */
static uint64_t inodes[INODES];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
    folder = getenv("POWER_FOLDER");
    const char *log = getenv("POWER_LOG");
    broken = getenv("POWER_BROKEN");
    if (!folder) return;
    folder_len = strlen(folder);
    if (!log) return;
    log_fd = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_fd < 0) abort();
}

static int is_inside(const char *path) {
    return folder && !strncmp(path, folder, folder_len) &&
           (path[folder_len] == '/' || !path[folder_len]);
}

static void record(char what, uint64_t inode, uint64_t at, const void *data, uint32_t len) {
    if (log_fd < 0) return;
    char head[21];
    head[0] = what;
    memcpy(head + 1, &inode, 8);
    memcpy(head + 9, &at, 8);
    memcpy(head + 17, &len, 4);
    struct iovec parts[2] = {{head, sizeof head}, {(void *)data, len}};
    ssize_t wanted = (ssize_t)(sizeof head + len);
    if (REAL(writev)(log_fd, parts, 2) != wanted) abort();
}

static uint64_t *place(uint64_t inode) {
    for (size_t at = inode % INODES;; at = (at + 1) % INODES)
        if (!inodes[at] || inodes[at] == inode) return &inodes[at];
}

/* The inode of a file below the folder; 0 for any other. */
static uint64_t inode_of(int fd) {
    struct stat found;
    if (!folder || fd == log_fd || fstat(fd, &found)) return 0;
    return *place(found.st_ino);
}

static int is_broken(uint64_t inode) {
    if (!inode || !broken || access(broken, F_OK)) return 0;
    errno = EIO;
    return 1;
}

static int opened(int fd, const char *path, int flags, int is_new) {
    struct stat found;
    if (fd >= 0 && is_inside(path) && !fstat(fd, &found)) {
        *place(found.st_ino) = found.st_ino;
        char what = S_ISDIR(found.st_mode) ? 'D' : is_new ? 'C' : 'O';
        record(what, found.st_ino, 0, path, strlen(path));
        if (flags & O_TRUNC) record('T', found.st_ino, 0, "", 0);
    }
    return fd;
}

#define OPEN(name)                                                        \
    int name(const char *path, int flags, ...) {                          \
        va_list rest;                                                     \
        va_start(rest, flags);                                            \
        mode_t mode = va_arg(rest, mode_t);                               \
        va_end(rest);                                                     \
        pthread_mutex_lock(&lock);                                        \
        int is_new = (flags & O_CREAT) && access(path, F_OK);             \
        int fd = opened(REAL(name)(path, flags, mode), path, flags, is_new); \
        pthread_mutex_unlock(&lock);                                      \
        return fd;                                                        \
    }
OPEN(open)
OPEN(open64)

#define LOGGED(result, call, condition, then)    \
    do {                                         \
        pthread_mutex_lock(&lock);               \
        uint64_t inode = inode_of(fd);           \
        result = is_broken(inode) ? -1 : call;   \
        if (inode && (condition)) then;          \
        pthread_mutex_unlock(&lock);             \
    } while (0)

#define PWRITE(name, offset_t)                                                       \
    ssize_t name(int fd, const void *data, size_t len, offset_t at) {                \
        ssize_t done;                                                                \
        LOGGED(done, REAL(name)(fd, data, len, at), done > 0, record('W', inode, at, data, done)); \
        return done;                                                                 \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t len) {
    ssize_t done;
    LOGGED(done, REAL(write)(fd, data, len), done > 0,
           record('W', inode, lseek(fd, 0, SEEK_CUR) - done, data, done));
    return done;
}

#define FTRUNCATE(name, offset_t)                                                      \
    int name(int fd, offset_t len) {                                                   \
        int failed;                                                                    \
        LOGGED(failed, REAL(name)(fd, len), !failed, record('T', inode, len, "", 0));  \
        return failed;                                                                 \
    }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

/* Both cover the length of the file: without it the data could not be found again. */
#define SYNC(name)                                                              \
    int name(int fd) {                                                          \
        int failed;                                                             \
        LOGGED(failed, REAL(name)(fd), !failed, record('S', inode, 0, "", 0));  \
        return failed;                                                          \
    }
SYNC(fsync)
SYNC(fdatasync)

/* Waits until the drive has the data. Nothing is said about the drive's own cache, nor about what
 * leads to the data in a file that has grown. */
int sync_file_range(int fd, off64_t at, off64_t len, unsigned flags) {
    int failed;
    LOGGED(failed, REAL(sync_file_range)(fd, at, len, flags), !failed,
           record('F', inode, at, "", 0));
    return failed;
}

static void record_paths(char what, const char *one, const char *other) {
    char both[8192];
    size_t len = strlen(one), other_len = strlen(other);
    if (len + other_len + 1 > sizeof both) abort();
    memcpy(both, one, len);
    both[len] = 0;
    memcpy(both + len + 1, other, other_len);
    record(what, 0, 0, both, len + 1 + other_len);
}

int rename(const char *from, const char *to) {
    pthread_mutex_lock(&lock);
    int failed = REAL(rename)(from, to);
    if (!failed && is_inside(to)) record_paths('R', from, to);
    pthread_mutex_unlock(&lock);
    return failed;
}

int unlink(const char *path) {
    pthread_mutex_lock(&lock);
    int failed = REAL(unlink)(path);
    if (!failed && is_inside(path)) record('U', 0, 0, path, strlen(path));
    pthread_mutex_unlock(&lock);
    return failed;
}

int mkdir(const char *path, mode_t mode) {
    pthread_mutex_lock(&lock);
    int failed = REAL(mkdir)(path, mode);
    if (!failed && is_inside(path)) record('M', 0, 0, path, strlen(path));
    pthread_mutex_unlock(&lock);
    return failed;
}

/* Anything else that changes a file would be missed. */
#define REFUSED(result, name, ...)                        \
    result name(int fd, __VA_ARGS__) {                    \
        if (inode_of(fd)) abort();                        \
        return FORWARD;                                   \
    }
#define FORWARD REAL(fallocate)(fd, mode, at, len)
REFUSED(int, fallocate, int mode, off_t at, off_t len)
#undef FORWARD
#define FORWARD REAL(fallocate64)(fd, mode, at, len)
REFUSED(int, fallocate64, int mode, off64_t at, off64_t len)
#undef FORWARD
#define FORWARD REAL(writev)(fd, parts, count)
REFUSED(ssize_t, writev, const struct iovec *parts, int count)
#undef FORWARD
