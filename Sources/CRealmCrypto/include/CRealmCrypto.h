/// AES-256 in CBC mode and HMAC-SHA-224, for pages of encrypted databases (storage format 8.3).
///
/// Each operation exists twice: with the processor's own instructions, used where it has them, and
/// in portable C whose time depends on no secret. Nothing here allocates or fails.
#ifndef CREALMCRYPTO_H
#define CREALMCRYPTO_H

#include <stddef.h>
#include <stdint.h>

enum {
    realm_crypto_key_size = 64,
    realm_crypto_block_size = 16,
    realm_crypto_mac_size = 28,
    /// Messages that are encrypted at once, at most.
    realm_crypto_messages = 8,
};

/// What follows from a database key. Secret: to be wiped by `realm_crypto_wipe`.
typedef struct {
    /// Round keys, in the order of encryption.
    _Alignas(16) uint8_t encryption[15][16];
    /// The same as the instructions for decryption want them.
    _Alignas(16) uint8_t decryption[15][16];
    /// The same for the portable form: one word a bit.
    uint64_t sliced[15][8];
    /// SHA-224 after the block that HMAC begins with, inside and outside.
    uint32_t inner[8];
    uint32_t outer[8];
    /// 1 where the processor's instructions are used.
    uint8_t uses_aes_instructions;
    uint8_t uses_sha_instructions;
} realm_crypto_context;

/// Whether the processor has instructions for AES and for SHA-256, and they agree with the portable
/// form on a known case.
int realm_crypto_has_aes(void);
int realm_crypto_has_sha(void);

/// Prepares for a key: 32 bytes for AES, 32 for HMAC. `portable` 1 leaves the processor's
/// instructions alone.
void realm_crypto_prepare(
    realm_crypto_context *context, const uint8_t key[realm_crypto_key_size], int portable);

/// Encrypts and decrypts `count` bytes, a multiple of 16, in CBC mode without padding. `from` and
/// `to` do not overlap.
void realm_crypto_encrypt(
    const realm_crypto_context *context, const uint8_t iv[realm_crypto_block_size],
    const uint8_t *from, uint8_t *to, size_t count);
void realm_crypto_decrypt(
    const realm_crypto_context *context, const uint8_t iv[realm_crypto_block_size],
    const uint8_t *from, uint8_t *to, size_t count);

/// Encrypts `messages` messages of `count` bytes each, at most `realm_crypto_messages`, in little more
/// time than one takes. Their initialisation vectors are 16 bytes apart, what they become `count`.
void realm_crypto_encrypt_several(
    const realm_crypto_context *context, size_t messages, const uint8_t *ivs,
    const uint8_t *const *from, uint8_t *to, size_t count);

/// The authentication code of `count` bytes, a multiple of 64.
void realm_crypto_authenticate(
    const realm_crypto_context *context, const uint8_t *bytes, size_t count,
    uint8_t mac[realm_crypto_mac_size]);

/// Those of two messages of `count` bytes each, quicker than one after the other.
void realm_crypto_authenticate_pair(
    const realm_crypto_context *context, const uint8_t *a, const uint8_t *b, size_t count,
    uint8_t mac_a[realm_crypto_mac_size], uint8_t mac_b[realm_crypto_mac_size]);

/// SHA-224, and HMAC with it and a key of any length.
void realm_crypto_sha224(
    const uint8_t *bytes, size_t count, uint8_t digest[realm_crypto_mac_size], int portable);
void realm_crypto_hmac_sha224(
    const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
    uint8_t mac[realm_crypto_mac_size], int portable);

/// SHA-256 in parts: the state of an empty message, `count` blocks of 64 bytes, and the end of a message
/// of `count` bytes of which the last `rest`, less than a block, are left.
void realm_crypto_sha256_begin(uint32_t state[8]);
void realm_crypto_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);
void realm_crypto_sha256_end(
    uint32_t state[8], const uint8_t *bytes, size_t rest, uint64_t count, uint8_t digest[32]);

/// 1 when both hold the same bytes; takes as long where they differ early as where they do not.
int realm_crypto_equal(const uint8_t *a, const uint8_t *b, size_t count);

/// Overwrites with zeros, also where a compiler sees no use in it.
void realm_crypto_wipe(void *bytes, size_t count);

#endif
