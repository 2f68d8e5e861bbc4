#pragma once
#include <curl/curl.h>

/// What Swift cannot call: libcurl's variadic functions, one wrapper for each type of argument.

static inline CURLcode konza_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode konza_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode konza_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode konza_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode konza_curl_set_recipients(CURL *handle, struct curl_slist *recipients) {
    return curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, recipients);
}

/// The callbacks for headers and body and, between them, for giving up; all get the same context.
static inline void konza_curl_set_callbacks(
    CURL *handle, size_t (*header)(char *, size_t, size_t, void *), size_t (*body)(char *, size_t, size_t, void *),
    int (*progress)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t), void *context) {
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

/// A body that is read piece by piece. Its size is sent ahead as Content-Length.
static inline void konza_curl_set_upload(
    CURL *handle, size_t (*read)(char *, size_t, size_t, void *), int (*seek)(void *, curl_off_t, int), void *context,
    curl_off_t size) {
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    curl_easy_setopt(handle, CURLOPT_READDATA, context);
    curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek);
    curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, size);
}

static inline long konza_curl_get_long(CURL *handle, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(handle, info, &value);
    return value;
}
