// AES and SHA-256 with AES-NI and the SHA extensions of x86. Only these functions are compiled with
// the instructions, so that the program also runs on processors without them.

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

// Encrypts several messages in parallel. In CBC mode a block depends on the previous block, so a
// single message leaves most of the processor idle.
WITH_AES static inline __attribute__((always_inline)) void encrypt_messages(
    const realm_crypto_context *context, const uint8_t *const *ivs, const uint8_t *const *from,
    uint8_t *const *to, size_t blocks, const int count) {
    const __m128i *keys = (const __m128i *)context->encryption;
    __m128i x[realm_crypto_messages];
    for (int m = 0; m < count; m++) x[m] = _mm_loadu_si128((const __m128i *)ivs[m]);
    for (size_t i = 0; i < blocks; i++) {
        for (int m = 0; m < count; m++) {
            __m128i text = _mm_loadu_si128((const __m128i *)(from[m] + 16 * i));
            x[m] = _mm_xor_si128(_mm_xor_si128(x[m], text), keys[0]);
        }
        for (int round = 1; round < 14; round++) {
            __m128i key = keys[round];
            for (int m = 0; m < count; m++) x[m] = _mm_aesenc_si128(x[m], key);
        }
        for (int m = 0; m < count; m++) {
            x[m] = _mm_aesenclast_si128(x[m], keys[14]);
            _mm_storeu_si128((__m128i *)(to[m] + 16 * i), x[m]);
        }
    }
}

WITH_AES void realm_aes_encrypt_hardware(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks) {
    encrypt_messages(context, &iv, &from, &to, blocks, 1);
}

WITH_AES void realm_aes_encrypt_several_hardware(
    const realm_crypto_context *context, const uint8_t *const *ivs, const uint8_t *const *from,
    uint8_t *const *to, size_t blocks) {
    encrypt_messages(context, ivs, from, to, blocks, realm_crypto_messages);
}

// Number of blocks that are decrypted at once. The instruction takes four cycles, and two
// instructions can begin in each cycle.
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

// Hashes two messages in parallel. An instruction depends on the previous one, so two messages take
// only a third longer than one.
WITH_SHA static inline __attribute__((always_inline)) void hash_messages(
    uint32_t *const *states, const uint8_t *const *bytes, size_t blocks, const int count) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
    // The instructions require the state words a, b, e, f in one register and c, d, g, h in the
    // other.
    __m128i abef[2], cdgh[2];
    for (int m = 0; m < count; m++) {
        __m128i low = _mm_loadu_si128((const __m128i *)states[m]);
        __m128i high = _mm_loadu_si128((const __m128i *)(states[m] + 4));
        low = _mm_shuffle_epi32(low, 0xB1);
        high = _mm_shuffle_epi32(high, 0x1B);
        abef[m] = _mm_alignr_epi8(low, high, 8);
        cdgh[m] = _mm_blend_epi16(high, low, 0xF0);
    }
    for (size_t block = 0; block < blocks; block++) {
        __m128i before0[2], before1[2], w[2][4], sum[2];
        for (int m = 0; m < count; m++) {
            const __m128i *message = (const __m128i *)(bytes[m] + 64 * block);
            before0[m] = abef[m];
            before1[m] = cdgh[m];
            for (int i = 0; i < 4; i++) {
                w[m][i] = _mm_shuffle_epi8(_mm_loadu_si128(message + i), swap);
            }
        }
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; i++) {
            __m128i k = _mm_loadu_si128((const __m128i *)(realm_sha256_constants + 4 * i));
            for (int m = 0; m < count; m++) {
                sum[m] = _mm_add_epi32(w[m][i & 3], k);
                cdgh[m] = _mm_sha256rnds2_epu32(cdgh[m], abef[m], sum[m]);
            }
            for (int m = 0; m < count; m++) {
                __m128i rest = _mm_shuffle_epi32(sum[m], 0x0E);
                abef[m] = _mm_sha256rnds2_epu32(abef[m], cdgh[m], rest);
                if (i < 12) {
                    __m128i next = _mm_sha256msg1_epu32(w[m][i & 3], w[m][(i + 1) & 3]);
                    next = _mm_add_epi32(
                        next, _mm_alignr_epi8(w[m][(i + 3) & 3], w[m][(i + 2) & 3], 4));
                    w[m][i & 3] = _mm_sha256msg2_epu32(next, w[m][(i + 3) & 3]);
                }
            }
        }
        for (int m = 0; m < count; m++) {
            abef[m] = _mm_add_epi32(abef[m], before0[m]);
            cdgh[m] = _mm_add_epi32(cdgh[m], before1[m]);
        }
    }
    for (int m = 0; m < count; m++) {
        __m128i feba = _mm_shuffle_epi32(abef[m], 0x1B);
        __m128i dchg = _mm_shuffle_epi32(cdgh[m], 0xB1);
        _mm_storeu_si128((__m128i *)states[m], _mm_blend_epi16(feba, dchg, 0xF0));
        _mm_storeu_si128((__m128i *)(states[m] + 4), _mm_alignr_epi8(dchg, feba, 8));
    }
}

WITH_SHA void realm_sha256_blocks_hardware(
    uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    hash_messages(&state, &bytes, blocks, 1);
}

WITH_SHA void realm_sha256_pair_hardware(
    uint32_t *const states[2], const uint8_t *const bytes[2], size_t blocks) {
    hash_messages(states, bytes, blocks, 2);
}

#endif
