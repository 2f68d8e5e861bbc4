#pragma once
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

/// What Swift cannot call or read: librabbitmq's variadic functions, unions and macros.

/// How a call went: 0 and 0 if well; else the library's code (negative), or the broker's (AMQP 0-9-1 section 1.2, such as 403)
/// with its words.
typedef struct konza_amqp_outcome {
    int library;
    int broker;
    char words[256];
} konza_amqp_outcome;

static inline void konza_amqp_words(konza_amqp_outcome *outcome, int code, amqp_bytes_t text) {
    size_t count = text.len < sizeof outcome->words - 1 ? text.len : sizeof outcome->words - 1;
    outcome->broker = code;
    memcpy(outcome->words, text.bytes, count);
    outcome->words[count] = 0;
}

static inline void konza_amqp_method(konza_amqp_outcome *outcome, amqp_method_t method) {
    if (method.id == AMQP_CONNECTION_CLOSE_METHOD) {
        amqp_connection_close_t *close = (amqp_connection_close_t *)method.decoded;
        konza_amqp_words(outcome, close->reply_code, close->reply_text);
    } else if (method.id == AMQP_CHANNEL_CLOSE_METHOD) {
        amqp_channel_close_t *close = (amqp_channel_close_t *)method.decoded;
        konza_amqp_words(outcome, close->reply_code, close->reply_text);
    } else if (method.id == AMQP_BASIC_CANCEL_METHOD) {
        konza_amqp_words(outcome, AMQP_NOT_FOUND, amqp_cstring_bytes("the queue was deleted"));
    }
}

static inline konza_amqp_outcome konza_amqp_judge(amqp_rpc_reply_t reply) {
    konza_amqp_outcome outcome = {0, 0, ""};
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) outcome.library = reply.library_error;
    if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION) konza_amqp_method(&outcome, reply.reply);
    if (reply.reply_type == AMQP_RESPONSE_NONE) outcome.library = AMQP_STATUS_SOCKET_ERROR;
    return outcome;
}

/// Logs in by name and password (SASL PLAIN) and opens channel 1.
static inline konza_amqp_outcome konza_amqp_login(
    amqp_connection_state_t state, const char *host, int heartbeat, const char *user, const char *password) {
    konza_amqp_outcome outcome =
        konza_amqp_judge(amqp_login(state, host, 1, AMQP_DEFAULT_FRAME_SIZE, heartbeat, AMQP_SASL_METHOD_PLAIN, user, password));
    if (outcome.library || outcome.broker) return outcome;
    amqp_channel_open(state, 1);
    return konza_amqp_judge(amqp_get_rpc_reply(state));
}

static inline konza_amqp_outcome konza_amqp_declare_topic_exchange(amqp_connection_state_t state, const char *name) {
    amqp_exchange_declare(
        state, 1, amqp_cstring_bytes(name), amqp_cstring_bytes("topic"), 0, 1, 0, 0, amqp_empty_table);
    return konza_amqp_judge(amqp_get_rpc_reply(state));
}

/// A durable queue. Beyond the bound the oldest message goes; milliseconds is 0 for messages that stay.
static inline konza_amqp_outcome konza_amqp_declare_queue(
    amqp_connection_state_t state, const char *name, int32_t most, int32_t milliseconds, int is_single) {
    amqp_table_entry_t entries[3];
    amqp_table_t arguments = {0, entries};
    amqp_table_entry_t *entry = &entries[arguments.num_entries++];
    entry->key = amqp_cstring_bytes("x-max-length");
    entry->value.kind = AMQP_FIELD_KIND_I32;
    entry->value.value.i32 = most;
    if (milliseconds > 0) {
        entry = &entries[arguments.num_entries++];
        entry->key = amqp_cstring_bytes("x-message-ttl");
        entry->value.kind = AMQP_FIELD_KIND_I32;
        entry->value.value.i32 = milliseconds;
    }
    if (is_single) {
        entry = &entries[arguments.num_entries++];
        entry->key = amqp_cstring_bytes("x-single-active-consumer");
        entry->value.kind = AMQP_FIELD_KIND_BOOLEAN;
        entry->value.value.boolean = 1;
    }
    amqp_queue_declare(state, 1, amqp_cstring_bytes(name), 0, 1, 0, 0, arguments);
    return konza_amqp_judge(amqp_get_rpc_reply(state));
}

static inline konza_amqp_outcome konza_amqp_bind(
    amqp_connection_state_t state, const char *queue, const char *exchange, const char *key) {
    amqp_queue_bind(
        state, 1, amqp_cstring_bytes(queue), amqp_cstring_bytes(exchange), amqp_cstring_bytes(key), amqp_empty_table);
    return konza_amqp_judge(amqp_get_rpc_reply(state));
}

/// At most so many messages are delivered and not acknowledged.
static inline konza_amqp_outcome konza_amqp_consume(amqp_connection_state_t state, const char *queue, uint16_t most) {
    amqp_basic_qos(state, 1, 0, most, 0);
    konza_amqp_outcome outcome = konza_amqp_judge(amqp_get_rpc_reply(state));
    if (outcome.library || outcome.broker) return outcome;
    amqp_basic_consume(state, 1, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
    return konza_amqp_judge(amqp_get_rpc_reply(state));
}

/// Takes what has come, without a wait: 1 with a message, 0 if there is none, -1 with the outcome of what ended the connection.
static inline int konza_amqp_next(
    amqp_connection_state_t state, amqp_envelope_t *envelope, konza_amqp_outcome *outcome) {
    for (;;) {
        struct timeval none = {0, 0};
        amqp_rpc_reply_t reply = amqp_consume_message(state, envelope, &none, 0);
        if (reply.reply_type == AMQP_RESPONSE_NORMAL) return 1;
        if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) {
            if (reply.library_error == AMQP_STATUS_TIMEOUT) return 0;
            if (reply.library_error == AMQP_STATUS_UNEXPECTED_STATE) {
                // Something else than a delivery is next.
                amqp_frame_t frame;
                struct timeval again = {0, 0};
                int status = amqp_simple_wait_frame_noblock(state, &frame, &again);
                if (status == AMQP_STATUS_TIMEOUT) return 0;
                if (status == AMQP_STATUS_OK) {
                    if (frame.frame_type == AMQP_FRAME_METHOD) konza_amqp_method(outcome, frame.payload.method);
                    if (outcome->broker) return -1;
                    continue;
                }
                outcome->library = status;
                return -1;
            }
        }
        *outcome = konza_amqp_judge(reply);
        return -1;
    }
}

/// Publishes a message that the broker lets go of after so many milliseconds, or after none if that is 0.
static inline int konza_amqp_publish(
    amqp_connection_state_t state, const char *exchange, const char *key, const void *bytes, size_t count,
    uint32_t milliseconds) {
    char expiration[16];
    amqp_basic_properties_t properties;
    memset(&properties, 0, sizeof properties);
    properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
    properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
    if (milliseconds) {
        snprintf(expiration, sizeof expiration, "%u", milliseconds);
        properties._flags |= AMQP_BASIC_EXPIRATION_FLAG;
        properties.expiration = amqp_cstring_bytes(expiration);
    }
    amqp_bytes_t body = {count, (void *)bytes};
    return amqp_basic_publish(
        state, 1, amqp_cstring_bytes(exchange), amqp_cstring_bytes(key), 0, 0, &properties, body);
}
