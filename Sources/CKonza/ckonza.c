#include "ckonza.h"
