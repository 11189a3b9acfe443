#ifndef CREALMCRYPTO_INTERNAL_H
#define CREALMCRYPTO_INTERNAL_H

#include "CRealmCrypto.h"

#if defined(REALM_PORTABLE)
// Only the portable implementation is compiled, as for a processor without such instructions.
#elif defined(__x86_64__)
#define REALM_CRYPTO_X86 1
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define REALM_CRYPTO_ARM 1
#endif

// The portable implementation.
void realm_aes_expand(realm_crypto_context *context, const uint8_t key[32]);
void realm_aes_encrypt_portable(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks);
void realm_aes_decrypt_portable(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks);
void realm_sha256_blocks_portable(uint32_t state[8], const uint8_t *bytes, size_t blocks);

// The implementation with instructions of the processor. Called only if the processor has them.
#if defined(REALM_CRYPTO_X86) || defined(REALM_CRYPTO_ARM)
int realm_processor_has_aes(void);
int realm_processor_has_sha(void);
void realm_aes_prepare_hardware(realm_crypto_context *context);
void realm_aes_encrypt_hardware(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks);
void realm_aes_decrypt_hardware(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks);
void realm_sha256_blocks_hardware(uint32_t state[8], const uint8_t *bytes, size_t blocks);
// Processes messages of the same length in parallel: `realm_crypto_messages` messages, or two.
void realm_aes_encrypt_several_hardware(
    const realm_crypto_context *context, const uint8_t *const *ivs, const uint8_t *const *from,
    uint8_t *const *to, size_t blocks);
void realm_sha256_pair_hardware(
    uint32_t *const states[2], const uint8_t *const bytes[2], size_t blocks);
#endif

extern const uint32_t realm_sha256_constants[64];

#endif
