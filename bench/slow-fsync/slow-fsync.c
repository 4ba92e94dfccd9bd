/* Makes fsync and fdatasync take SLOW_FSYNC_MS longer, as on a disk or network volume that is slow to confirm. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void delay(void) {
  const char *ms = getenv("SLOW_FSYNC_MS");
  long total = ms == NULL ? 0 : atol(ms);
  struct timespec left = {total / 1000, (total % 1000) * 1000000L};
  while (total > 0 && nanosleep(&left, &left) != 0) {
  }
}

int fsync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  delay();
  return real(file);
}

int fdatasync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  delay();
  return real(file);
}
