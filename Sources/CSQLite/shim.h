#pragma once
#include <sqlite3.h>

// What the importer leaves out: SQLITE_TRANSIENT is a cast, sqlite3_db_config is variadic.

static inline int konza_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int konza_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, length > 0 ? bytes : "", length, SQLITE_TRANSIENT);
}

/// Refuses what could corrupt the file from SQL: writable_schema, shadow tables, journal_mode=OFF.
static inline int konza_sqlite_be_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
