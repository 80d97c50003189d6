/* Client requests of valgrind's memcheck for Node.js: marks bytes as secret and asks what valgrind
 * has seen. memcheck reports each branch and each address that depends on undefined bits, so a
 * secret is marked as undefined. The request is a sequence of instructions that does nothing
 * outside valgrind (valgrind.h); this file needs neither its headers nor those of Node.js.
 *
 * The controls at the end leak on purpose. */

#include <stddef.h>
#include <stdint.h>

/* Node-API, as far as it is used here: js_native_api.h. */
typedef struct value *napi_value;
typedef struct environment *napi_env;
typedef struct information *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
int napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
int napi_get_typedarray_info(napi_env, napi_value, int *, size_t *, void **, napi_value *, size_t *);
int napi_get_value_string_latin1(napi_env, napi_value, char *, size_t, size_t *);
int napi_get_value_bigint_words(napi_env, napi_value, int *, size_t *, uint64_t *);
int napi_create_double(napi_env, double, napi_value *);
int napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
int napi_set_named_property(napi_env, napi_value, const char *, napi_value);

/* valgrind.h and memcheck.h. */
enum {
  RUNNING_ON_VALGRIND = 0x1001,
  COUNT_ERRORS = 0x1201,
  CHANGE_ERR_DISABLEMENT = 0x1801,
  MAKE_MEM_UNDEFINED = 0x4d430001,
  MAKE_MEM_DEFINED = 0x4d430002,
  GET_VBITS = 0x4d430008
};

static uintptr_t ask(uintptr_t request, const void *one, uintptr_t two, uintptr_t three) {
  volatile uintptr_t arguments[6] = {request, (uintptr_t)one, two, three, 0, 0};
  uintptr_t answer = 0;
#if defined(__x86_64__)
  __asm__ volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "=d"(answer)
      : "a"(&arguments[0]), "0"(answer)
      : "cc", "memory");
#elif defined(__aarch64__)
  __asm__ volatile(
      "mov x3, %1; mov x4, %2; ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51;"
      "ror x12, x12, #61; orr x10, x10, x10; mov %0, x3"
      : "=r"(answer)
      : "r"(answer), "r"(&arguments[0])
      : "cc", "memory", "x3", "x4");
#endif
  return answer;
}

static napi_value number(napi_env env, double value) {
  napi_value made = NULL;
  napi_create_double(env, value, &made);
  return made;
}

/* The bytes of the typed array at `index` of the arguments. */
typedef struct {
  uint8_t *start;
  size_t size;
  napi_value value;
} bytes;

static bytes argument(napi_env env, napi_callback_info info, size_t index) {
  napi_value arguments[2] = {NULL, NULL};
  size_t count = 2;
  bytes found = {NULL, 0, NULL};
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  found.value = arguments[index];
  void *start = NULL;
  if (napi_get_typedarray_info(env, found.value, NULL, &found.size, &start, NULL, NULL) != 0)
    found.size = 0;
  found.start = start;
  return found;
}

static napi_value running(napi_env env, napi_callback_info info) {
  (void)info;
  return number(env, (double)ask(RUNNING_ON_VALGRIND, NULL, 0, 0));
}

/* The errors that valgrind has found, those of which it prints no second copy included. */
static napi_value errors(napi_env env, napi_callback_info info) {
  (void)info;
  return number(env, (double)ask(COUNT_ERRORS, NULL, 0, 0));
}

/* Between the two, valgrind records nothing on this thread. */
static napi_value pause_reports(napi_env env, napi_callback_info info) {
  (void)info;
  ask(CHANGE_ERR_DISABLEMENT, (const void *)1, 0, 0);
  return number(env, 0);
}

static napi_value resume_reports(napi_env env, napi_callback_info info) {
  (void)info;
  ask(CHANGE_ERR_DISABLEMENT, (const void *)-1, 0, 0);
  return number(env, 0);
}

static napi_value hide(napi_env env, napi_callback_info info) {
  bytes given = argument(env, info, 0);
  ask(MAKE_MEM_UNDEFINED, given.start, given.size, 0);
  return given.value;
}

static napi_value publish(napi_env env, napi_callback_info info) {
  bytes given = argument(env, info, 0);
  ask(MAKE_MEM_DEFINED, given.start, given.size, 0);
  return given.value;
}

static size_t undefined_bytes(const void *start, size_t size) {
  static uint8_t bits[1 << 16];
  size_t count = 0;
  for (size_t done = 0; done < size; done += sizeof bits) {
    size_t part = size - done < sizeof bits ? size - done : sizeof bits;
    ask(GET_VBITS, (const uint8_t *)start + done, (uintptr_t)bits, part);
    for (size_t at = 0; at < part; at++) count += bits[at] != 0;
  }
  return count;
}

/* How many bytes of a typed array, a string or a BigInt depend on secrets; -1 for other values. */
static napi_value secret_bytes(napi_env env, napi_callback_info info) {
  static char text[1 << 16];
  uint64_t words[64];
  size_t size = 64;
  bytes given = argument(env, info, 0);
  if (given.start != NULL || given.size > 0)
    return number(env, (double)undefined_bytes(given.start, given.size));
  if (napi_get_value_bigint_words(env, given.value, NULL, &size, words) == 0)
    return number(env, (double)undefined_bytes(words, size * sizeof *words));
  if (napi_get_value_string_latin1(env, given.value, text, sizeof text, &size) == 0)
    return number(env, (double)undefined_bytes(text, size));
  return number(env, -1);
}

/* The CPU's clock, in its own unit. */
static napi_value ticks(napi_env env, napi_callback_info info) {
  (void)info;
  uint64_t now = 0;
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
  now = (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
  __asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(now) : : "memory");
#endif
  return number(env, (double)now);
}

/* Control: a load from a table at a secret place, as AES with tables does it. */
static napi_value look_up(napi_env env, napi_callback_info info) {
  static const volatile uint8_t table[256] = {99, 124, 119, 123};
  bytes given = argument(env, info, 0);
  for (size_t at = 0; at < given.size; at++) given.start[at] = table[given.start[at]];
  return given.value;
}

/* Control: a comparison that ends with the first difference. */
static napi_value equal_until(napi_env env, napi_callback_info info) {
  bytes one = argument(env, info, 0), other = argument(env, info, 1);
  volatile size_t at = 0;
  while (at < one.size && one.start[at] == other.start[at]) at = at + 1;
  return number(env, (double)at);
}

napi_value napi_register_module_v1(napi_env env, napi_value exports);
napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  static const struct {
    const char *name;
    napi_callback run;
  } functions[] = {
      {"running", running},         {"errors", errors}, {"hide", hide},
      {"publish", publish},         {"lookUp", look_up}, {"equalUntil", equal_until},
      {"secretBytes", secret_bytes}, {"ticks", ticks},
      {"pause", pause_reports},     {"resume", resume_reports},
  };
  for (size_t at = 0; at < sizeof functions / sizeof *functions; at++) {
    napi_value made = NULL;
    napi_create_function(env, functions[at].name, (size_t)-1, functions[at].run, NULL, &made);
    napi_set_named_property(env, exports, functions[at].name, made);
  }
  return exports;
}
