/// AES-256 in CBC mode and HMAC-SHA-224, for pages of encrypted databases (storage format 8.3).
///
/// Each operation has two implementations: with the processor's own instructions, used if it has
/// them, and in portable C whose time does not depend on secrets. Nothing here allocates or fails.
#ifndef CREALMCRYPTO_H
#define CREALMCRYPTO_H

#include <stddef.h>
#include <stdint.h>

enum {
    realm_crypto_key_size = 64,
    realm_crypto_block_size = 16,
    realm_crypto_mac_size = 28,
    /// Maximum number of messages that are encrypted at once.
    realm_crypto_messages = 8,
};

/// Keys derived from a database key. Secret: wiped by the caller with `realm_crypto_wipe`.
typedef struct {
    /// Round keys, in the order of encryption.
    _Alignas(16) uint8_t encryption[15][16];
    /// Round keys for the decryption instructions.
    _Alignas(16) uint8_t decryption[15][16];
    /// Round keys for the portable form: one word per bit.
    uint64_t sliced[15][8];
    /// SHA-224 states after the first block of HMAC, inner and outer.
    uint32_t inner[8];
    uint32_t outer[8];
    /// 1 if the processor's instructions are used.
    uint8_t uses_aes_instructions;
    uint8_t uses_sha_instructions;
} realm_crypto_context;

/// Whether the processor has instructions for AES and for SHA-256, and these agree with the
/// portable form on a test case.
int realm_crypto_has_aes(void);
int realm_crypto_has_sha(void);

/// Derives the keys from 32 bytes for AES and 32 for HMAC. If `portable` is 1, the processor's
/// instructions are not used.
void realm_crypto_prepare(
    realm_crypto_context *context, const uint8_t key[realm_crypto_key_size], int portable);

/// Encrypts or decrypts `count` bytes, a multiple of 16, in CBC mode without padding. `from` and
/// `to` must not overlap.
void realm_crypto_encrypt(
    const realm_crypto_context *context, const uint8_t iv[realm_crypto_block_size],
    const uint8_t *from, uint8_t *to, size_t count);
void realm_crypto_decrypt(
    const realm_crypto_context *context, const uint8_t iv[realm_crypto_block_size],
    const uint8_t *from, uint8_t *to, size_t count);

/// Encrypts `messages` messages of `count` bytes each, at most `realm_crypto_messages`, in little
/// more time than one takes. Initialisation vectors are 16 bytes apart, results `count` bytes.
void realm_crypto_encrypt_several(
    const realm_crypto_context *context, size_t messages, const uint8_t *ivs,
    const uint8_t *const *from, uint8_t *to, size_t count);

/// Computes the authentication code of `count` bytes, a multiple of 64.
void realm_crypto_authenticate(
    const realm_crypto_context *context, const uint8_t *bytes, size_t count,
    uint8_t mac[realm_crypto_mac_size]);

/// Computes the authentication codes of two messages of `count` bytes each, faster than one by one.
void realm_crypto_authenticate_pair(
    const realm_crypto_context *context, const uint8_t *a, const uint8_t *b, size_t count,
    uint8_t mac_a[realm_crypto_mac_size], uint8_t mac_b[realm_crypto_mac_size]);

/// Computes SHA-224, or HMAC with it and a key of any length.
void realm_crypto_sha224(
    const uint8_t *bytes, size_t count, uint8_t digest[realm_crypto_mac_size], int portable);
void realm_crypto_hmac_sha224(
    const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
    uint8_t mac[realm_crypto_mac_size], int portable);

/// Computes SHA-256 in parts: `begin` sets the initial state, `blocks` adds `count` blocks of 64
/// bytes, and `end` finishes a message of `count` bytes, of which `rest`, less than a block,
/// remain.
void realm_crypto_sha256_begin(uint32_t state[8]);
void realm_crypto_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);
void realm_crypto_sha256_end(
    uint32_t state[8], const uint8_t *bytes, size_t rest, uint64_t count, uint8_t digest[32]);

/// Returns 1 if the bytes are equal, in constant time.
int realm_crypto_equal(const uint8_t *a, const uint8_t *b, size_t count);

/// Overwrites bytes with zeros, even if the compiler sees no later use.
void realm_crypto_wipe(void *bytes, size_t count);

#endif
