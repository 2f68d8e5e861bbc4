#pragma once
#include <libv4l2.h>
#include <libv4lconvert.h>
#include <linux/videodev2.h>
