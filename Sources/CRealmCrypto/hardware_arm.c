// AES and SHA-256 with the cryptographic instructions of ARMv8. Only these functions are compiled
// with the instructions, so that the program also runs on processors without them.

#include "internal.h"

#ifdef REALM_CRYPTO_ARM

#include <arm_neon.h>
#include <sys/auxv.h>

#define WITH_CRYPTO __attribute__((target("aes,sha2")))

// Bits of the kernel's AT_HWCAP word.
enum { bit_aes = 1 << 3, bit_sha2 = 1 << 6 };

int realm_processor_has_aes(void) { return (getauxval(AT_HWCAP) & bit_aes) != 0; }
int realm_processor_has_sha(void) { return (getauxval(AT_HWCAP) & bit_sha2) != 0; }

WITH_CRYPTO void realm_aes_prepare_hardware(realm_crypto_context *context) {
    for (int i = 0; i < 15; i++) {
        uint8x16_t key = vld1q_u8(context->encryption[14 - i]);
        if (i > 0 && i < 14) key = vaesimcq_u8(key);
        vst1q_u8(context->decryption[i], key);
    }
}

WITH_CRYPTO void realm_aes_encrypt_hardware(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks) {
    uint8x16_t last = vld1q_u8(iv);
    for (size_t i = 0; i < blocks; i++) {
        uint8x16_t x = veorq_u8(last, vld1q_u8(from + 16 * i));
        for (int round = 0; round < 13; round++) {
            x = vaesmcq_u8(vaeseq_u8(x, vld1q_u8(context->encryption[round])));
        }
        x = vaeseq_u8(x, vld1q_u8(context->encryption[13]));
        last = veorq_u8(x, vld1q_u8(context->encryption[14]));
        vst1q_u8(to + 16 * i, last);
    }
}

void realm_aes_encrypt_several_hardware(
    const realm_crypto_context *context, const uint8_t *const *ivs, const uint8_t *const *from,
    uint8_t *const *to, size_t blocks) {
    for (int m = 0; m < realm_crypto_messages; m++) {
        realm_aes_encrypt_hardware(context, ivs[m], from[m], to[m], blocks);
    }
}

// Number of blocks that are decrypted at once.
enum { lanes = 8 };

WITH_CRYPTO void realm_aes_decrypt_hardware(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks) {
    uint8x16_t last = vld1q_u8(iv);
    size_t i = 0;
    while (i < blocks) {
        size_t count = blocks - i < lanes ? blocks - i : lanes;
        uint8x16_t x[lanes], c[lanes];
        for (size_t l = 0; l < count; l++) x[l] = c[l] = vld1q_u8(from + 16 * (i + l));
        for (int round = 0; round < 13; round++) {
            uint8x16_t key = vld1q_u8(context->decryption[round]);
            for (size_t l = 0; l < count; l++) x[l] = vaesimcq_u8(vaesdq_u8(x[l], key));
        }
        uint8x16_t before = vld1q_u8(context->decryption[13]);
        uint8x16_t final = vld1q_u8(context->decryption[14]);
        for (size_t l = 0; l < count; l++) {
            x[l] = veorq_u8(vaesdq_u8(x[l], before), final);
            vst1q_u8(to + 16 * (i + l), veorq_u8(x[l], l == 0 ? last : c[l - 1]));
        }
        last = c[count - 1];
        i += count;
    }
}

WITH_CRYPTO void realm_sha256_blocks_hardware(
    uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
    for (size_t block = 0; block < blocks; block++) {
        uint32x4_t before0 = abcd, before1 = efgh;
        uint32x4_t w[4];
        for (int i = 0; i < 4; i++) {
            w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 64 * block + 16 * i)));
        }
        for (int i = 0; i < 16; i++) {
            uint32x4_t sum = vaddq_u32(w[i & 3], vld1q_u32(realm_sha256_constants + 4 * i));
            uint32x4_t old = abcd;
            abcd = vsha256hq_u32(abcd, efgh, sum);
            efgh = vsha256h2q_u32(efgh, old, sum);
            if (i < 12) {
                w[i & 3] = vsha256su1q_u32(
                    vsha256su0q_u32(w[i & 3], w[(i + 1) & 3]), w[(i + 2) & 3], w[(i + 3) & 3]);
            }
        }
        abcd = vaddq_u32(abcd, before0);
        efgh = vaddq_u32(efgh, before1);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

void realm_sha256_pair_hardware(
    uint32_t *const states[2], const uint8_t *const bytes[2], size_t blocks) {
    for (int m = 0; m < 2; m++) realm_sha256_blocks_hardware(states[m], bytes[m], blocks);
}

#endif
