// A target needs something to compile.
#include "CRealmSystem.h"
