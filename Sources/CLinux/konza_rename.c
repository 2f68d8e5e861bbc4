#define _GNU_SOURCE
#include "konza_rename.h"

#include <fcntl.h>
#include <stdio.h>

int konza_rename_new(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
