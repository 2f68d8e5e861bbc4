#pragma once
#include <errno.h>
#include <libv4l2.h>
#include <libv4lconvert.h>
#include <linux/videodev2.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

// What Swift cannot import: the variadic call, request numbers and fourccs behind casts, and packed structs.

static const unsigned long KONZA_VIDIOC_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long KONZA_VIDIOC_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long KONZA_VIDIOC_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long KONZA_VIDIOC_S_FMT = VIDIOC_S_FMT;
static const unsigned long KONZA_VIDIOC_G_PARM = VIDIOC_G_PARM;
static const unsigned long KONZA_VIDIOC_S_PARM = VIDIOC_S_PARM;
static const unsigned long KONZA_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long KONZA_VIDIOC_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long KONZA_VIDIOC_QBUF = VIDIOC_QBUF;
static const unsigned long KONZA_VIDIOC_DQBUF = VIDIOC_DQBUF;
static const unsigned long KONZA_VIDIOC_STREAMON = VIDIOC_STREAMON;
static const unsigned long KONZA_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long KONZA_VIDIOC_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long KONZA_VIDIOC_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long KONZA_VIDIOC_G_EXT_CTRLS = VIDIOC_G_EXT_CTRLS;
static const unsigned long KONZA_VIDIOC_S_EXT_CTRLS = VIDIOC_S_EXT_CTRLS;

/// `ioctl` through libv4l2, begun again when a signal interrupts it. Returns -1 with errno on failure.
static inline int konza_v4l2_ioctl(int descriptor, unsigned long request, void *argument) {
    int result;
    do result = v4l2_ioctl(descriptor, request, argument);
    while (result == -1 && errno == EINTR);
    return result;
}

/// Maps a buffer shared and writable (some drivers refuse a read-only mapping). Returns NULL with errno on failure.
static inline void *konza_v4l2_map(int descriptor, size_t length, unsigned int offset) {
    void *address = v4l2_mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
    return address == MAP_FAILED ? NULL : address;
}

/// Sends libv4l2's own messages nowhere: failures are worded by the caller.
static inline void konza_v4l2_be_quiet(void) {
    if (v4l2_log_file == NULL) v4l2_log_file = fopen("/dev/null", "we");
}

/// Reads a control of an integer type. Returns 0, or -1 with errno.
static inline int konza_v4l2_get_control(int descriptor, unsigned int id, int wide, long long *value) {
    struct v4l2_ext_control control;
    struct v4l2_ext_controls controls;
    memset(&control, 0, sizeof control);
    memset(&controls, 0, sizeof controls);
    control.id = id;
    controls.which = V4L2_CTRL_WHICH_CUR_VAL;
    controls.count = 1;
    controls.controls = &control;
    if (konza_v4l2_ioctl(descriptor, VIDIOC_G_EXT_CTRLS, &controls) != 0) return -1;
    *value = wide ? control.value64 : control.value;
    return 0;
}

/// Sets a control of an integer type. Returns 0, or -1 with errno.
static inline int konza_v4l2_set_control(int descriptor, unsigned int id, int wide, long long value) {
    struct v4l2_ext_control control;
    struct v4l2_ext_controls controls;
    memset(&control, 0, sizeof control);
    memset(&controls, 0, sizeof controls);
    control.id = id;
    if (wide) control.value64 = value;
    else control.value = (int)value;
    controls.which = V4L2_CTRL_WHICH_CUR_VAL;
    controls.count = 1;
    controls.controls = &control;
    return konza_v4l2_ioctl(descriptor, VIDIOC_S_EXT_CTRLS, &controls);
}

/// Reads the label of a menu item, or the number of an integer menu's. Returns 0, or -1 with errno.
static inline int konza_v4l2_menu_item(
    int descriptor, unsigned int id, unsigned int index, int isNumber, char label[32], long long *number) {
    struct v4l2_querymenu item;
    memset(&item, 0, sizeof item);
    item.id = id;
    item.index = index;
    if (konza_v4l2_ioctl(descriptor, VIDIOC_QUERYMENU, &item) != 0) return -1;
    if (isNumber) {
        *number = item.value;
    } else {
        memcpy(label, item.name, 31);
        label[31] = 0;
    }
    return 0;
}
