/* Controls for kernels.test.mjs: kernels of AES that leak, and one that does not. */

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
