#pragma once
#include <stddef.h>
#include <stdint.h>

/// What Swift's Glibc module leaves out: calls behind _GNU_SOURCE or missing headers.

/// Has the kernel begin to write a file's bytes to the disk, and does not wait (sync_file_range(2)). What fails is told by fsync(2).
void konza_begin_writing_out(int file);

/// A close-on-exec, non-blocking event descriptor (eventfd(2)), or -1 with errno.
int konza_eventfd(void);

/// Notes that the calling thread may wait for disks, until it ends.
void konza_set_may_block(void);

/// 1 if the calling thread may wait for disks, 0 if not.
int konza_may_block(void);

/// Names the calling thread, at most 15 bytes.
void konza_name_thread(const char *name);

/// Reads the credentials of the peer of a Unix socket (unix(7), SO_PEERCRED). Returns 0, or -1 with errno.
int konza_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid);

/// Copies the system's words for an error code, always terminated.
void konza_error_text(int code, char *text, unsigned long size);

/// 1 if the kernel calls its clock synchronised (adjtimex(2)), 0 if not, -1 if it does not say.
int konza_clock_is_synchronized(void);

/// Sets malloc's options (mallopt(3)) for a long life in little memory.
void konza_keep_heap_small(void);

/// Gives free pages back to the system (malloc_trim(3)).
void konza_trim_heap(void);

/// Bytes that are allocated and not freed, in all arenas and in mappings of their own (mallinfo2(3)).
size_t konza_heap_in_use(void);

/// Lets go of resident pages of all segments, of the program and its libraries, that are loaded without the right to write
/// (elf(5), PT_LOAD without PF_W): they never differ from the file.
void konza_release_program(void);

/// Keeps the process's memory out of cores and debuggers (prctl(2), PR_SET_DUMPABLE). Returns 0, or -1 with errno.
int konza_set_undumpable(void);
