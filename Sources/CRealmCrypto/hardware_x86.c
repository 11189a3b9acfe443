// AES-NI and the SHA extensions of x86. The functions name the instructions they need, so that the
// rest of the program runs on processors without them.

#include "internal.h"

#ifdef REALM_CRYPTO_X86

#include <cpuid.h>
#include <immintrin.h>

#define WITH_AES __attribute__((target("aes,sse4.1")))
#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))

int realm_processor_has_aes(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    return (c & bit_AES) && (c & bit_SSE4_1);
}

int realm_processor_has_sha(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    return (b >> 29) & 1;
}

WITH_AES void realm_aes_prepare_hardware(realm_crypto_context *context) {
    for (int i = 0; i < 15; i++) {
        __m128i key = _mm_load_si128((const __m128i *)context->encryption[14 - i]);
        if (i > 0 && i < 14) key = _mm_aesimc_si128(key);
        _mm_store_si128((__m128i *)context->decryption[i], key);
    }
}

WITH_AES void realm_aes_encrypt_hardware(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks) {
    const __m128i *keys = (const __m128i *)context->encryption;
    __m128i last = _mm_loadu_si128((const __m128i *)iv);
    for (size_t i = 0; i < blocks; i++) {
        __m128i x = _mm_xor_si128(last, _mm_loadu_si128((const __m128i *)(from + 16 * i)));
        x = _mm_xor_si128(x, keys[0]);
        for (int round = 1; round < 14; round++) x = _mm_aesenc_si128(x, keys[round]);
        last = _mm_aesenclast_si128(x, keys[14]);
        _mm_storeu_si128((__m128i *)(to + 16 * i), last);
    }
}

// Blocks that are decrypted at once: the instruction takes four cycles, two begin in each.
enum { lanes = 8 };

WITH_AES static void decrypt_lanes(
    const __m128i *keys, __m128i *last, const uint8_t *from, uint8_t *to) {
    __m128i x[lanes], c[lanes];
    for (int i = 0; i < lanes; i++) {
        c[i] = _mm_loadu_si128((const __m128i *)(from + 16 * i));
        x[i] = _mm_xor_si128(c[i], keys[0]);
    }
    for (int round = 1; round < 14; round++) {
        __m128i key = keys[round];
        for (int i = 0; i < lanes; i++) x[i] = _mm_aesdec_si128(x[i], key);
    }
    for (int i = 0; i < lanes; i++) {
        x[i] = _mm_aesdeclast_si128(x[i], keys[14]);
        x[i] = _mm_xor_si128(x[i], i == 0 ? *last : c[i - 1]);
        _mm_storeu_si128((__m128i *)(to + 16 * i), x[i]);
    }
    *last = c[lanes - 1];
}

WITH_AES void realm_aes_decrypt_hardware(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks) {
    const __m128i *keys = (const __m128i *)context->decryption;
    __m128i last = _mm_loadu_si128((const __m128i *)iv);
    size_t i = 0;
    for (; i + lanes <= blocks; i += lanes) {
        decrypt_lanes(keys, &last, from + 16 * i, to + 16 * i);
    }
    for (; i < blocks; i++) {
        __m128i c = _mm_loadu_si128((const __m128i *)(from + 16 * i));
        __m128i x = _mm_xor_si128(c, keys[0]);
        for (int round = 1; round < 14; round++) x = _mm_aesdec_si128(x, keys[round]);
        x = _mm_aesdeclast_si128(x, keys[14]);
        _mm_storeu_si128((__m128i *)(to + 16 * i), _mm_xor_si128(x, last));
        last = c;
    }
}

WITH_SHA void realm_sha256_blocks_hardware(
    uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
    // The instructions keep a b e f in one register and c d g h in the other.
    __m128i low = _mm_loadu_si128((const __m128i *)state);
    __m128i high = _mm_loadu_si128((const __m128i *)(state + 4));
    low = _mm_shuffle_epi32(low, 0xB1);
    high = _mm_shuffle_epi32(high, 0x1B);
    __m128i abef = _mm_alignr_epi8(low, high, 8);
    __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
    for (size_t block = 0; block < blocks; block++) {
        const __m128i *message = (const __m128i *)(bytes + 64 * block);
        __m128i before0 = abef, before1 = cdgh;
        __m128i w[4];
        for (int i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128(message + i), swap);
        }
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; i++) {
            __m128i k = _mm_loadu_si128((const __m128i *)(realm_sha256_constants + 4 * i));
            __m128i sum = _mm_add_epi32(w[i & 3], k);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
            if (i < 12) {
                __m128i next = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
                next = _mm_add_epi32(
                    next, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
                w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
            }
        }
        abef = _mm_add_epi32(abef, before0);
        cdgh = _mm_add_epi32(cdgh, before1);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif
