/* Controls for kernels.test.mjs: kernels of AES, those that leak and those that do not. */

#include <immintrin.h>
#include <stddef.h>

int equal_blocks(const __m256i *blocks, size_t count, int (*then)(void));
int equal_blocks(const __m256i *blocks, size_t count, int (*then)(void)) {
  __m256i sum = blocks[0];
  for (size_t at = 1; at < count; at++) sum = _mm256_aesenc_epi128(sum, blocks[at]);
  return _mm256_extract_epi32(sum, 3) == 7 ? then() : 0;
}

int looked_up(const __m256i *blocks, size_t count, const int *table);
int looked_up(const __m256i *blocks, size_t count, const int *table) {
  __m256i sum = blocks[0];
  for (size_t at = 1; at < count; at++) sum = _mm256_aesdec_epi128(sum, blocks[at]);
  return table[_mm256_extract_epi8(sum, 3) & 255];
}

void clean(const __m256i *blocks, size_t count, __m256i *sum);
void clean(const __m256i *blocks, size_t count, __m256i *sum) {
  __m256i all = blocks[0];
  for (size_t at = 1; at < count; at++) all = _mm256_aesenclast_epi128(all, blocks[at]);
  *sum = all;
}

/* An address that is computed before it is used. */
int computed(const __m256i *blocks, size_t count, const int *table);
int computed(const __m256i *blocks, size_t count, const int *table) {
  __m256i sum = blocks[0];
  for (size_t at = 1; at < count; at++) sum = _mm256_aesenc_epi128(sum, blocks[at]);
  const int *place;
  __asm__("lea (%1,%2,4), %0"
          : "=r"(place)
          : "r"(table), "r"((size_t)(_mm256_extract_epi8(sum, 3) & 255)));
  return *place;
}

/* An index that a vector leaves on the stack. */
int spilled(const __m256i *blocks, size_t count, const int *table);
int spilled(const __m256i *blocks, size_t count, const int *table) {
  __m256i sum = blocks[0];
  for (size_t at = 1; at < count; at++) sum = _mm256_aesdec_epi128(sum, blocks[at]);
  long slot, index;
  __asm__ volatile("vmovq %2, %0\n\tmov %0, %1"
                   : "=m"(slot), "=r"(index)
                   : "x"(_mm256_castsi256_si128(sum)));
  return table[index & 255];
}

/* Leaks nothing: the address of a place on the stack, and a nop that names a register. */
void kept(const __m256i *blocks, size_t count, int *out);
void kept(const __m256i *blocks, size_t count, int *out) {
  __m256i sum = blocks[0];
  for (size_t at = 1; at < count; at++) sum = _mm256_aesenclast_epi128(sum, blocks[at]);
  int slot, *place;
  long word = _mm256_extract_epi32(sum, 3);
  __asm__ volatile("mov %k2, %0\n\tlea %0, %1\n\tcs nopw 0(%2,%2,1)"
                   : "=m"(slot), "=&r"(place)
                   : "a"(word));
  *out = *place;
}
