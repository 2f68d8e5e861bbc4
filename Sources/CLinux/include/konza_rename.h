#pragma once

/// Renames a file, never over an existing one (renameat2(2), RENAME_NOREPLACE). Returns 0, or -1 with errno: EEXIST
/// when the new name is taken, EINVAL when the file system cannot promise it.
int konza_rename_new(const char *from, const char *to);
