/// AES-256 in CBC mode and HMAC-SHA-224, for the pages of encrypted databases (storage format 8.3).
///
/// Each operation has two implementations. One uses instructions of the processor, if it has them.
/// The other is portable C whose time does not depend on secrets. No function allocates memory or
/// fails.
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

/// Keys that are derived from a database key. They are secret: the caller must erase them with
/// `realm_crypto_wipe`.
typedef struct {
    /// Round keys, in the order of encryption.
    _Alignas(16) uint8_t encryption[15][16];
    /// Round keys for the decryption instructions.
    _Alignas(16) uint8_t decryption[15][16];
    /// Round keys for the portable implementation: one word for each bit of a byte.
    uint64_t sliced[15][8];
    /// SHA-224 states after the first block of HMAC: inner state, then outer state.
    uint32_t inner[8];
    uint32_t outer[8];
    /// 1 if instructions of the processor are used for AES. The next member is the same for
    /// SHA-256.
    uint8_t uses_aes_instructions;
    uint8_t uses_sha_instructions;
} realm_crypto_context;

/// Returns 1 if the processor has instructions for AES, and they agree with the portable
/// implementation on a test case. The next function does the same for SHA-256.
int realm_crypto_has_aes(void);
int realm_crypto_has_sha(void);

/// Derives keys from a database key: 32 bytes for AES, then 32 bytes for HMAC. If `portable` is 1,
/// the processor's instructions are not used.
void realm_crypto_prepare(
    realm_crypto_context *context, const uint8_t key[realm_crypto_key_size], int portable);

/// Encrypts or decrypts `count` bytes in CBC mode without padding. `count` must be a multiple of
/// 16. `from` and `to` must not overlap.
void realm_crypto_encrypt(
    const realm_crypto_context *context, const uint8_t iv[realm_crypto_block_size],
    const uint8_t *from, uint8_t *to, size_t count);
void realm_crypto_decrypt(
    const realm_crypto_context *context, const uint8_t iv[realm_crypto_block_size],
    const uint8_t *from, uint8_t *to, size_t count);

/// Encrypts several messages of `count` bytes each, in little more time than a single message
/// takes. `messages` is at most `realm_crypto_messages`. Initialisation vectors are 16 bytes apart,
/// and results are `count` bytes apart.
void realm_crypto_encrypt_several(
    const realm_crypto_context *context, size_t messages, const uint8_t *ivs,
    const uint8_t *const *from, uint8_t *to, size_t count);

/// Computes the authentication code of `count` bytes. `count` must be a multiple of 64.
void realm_crypto_authenticate(
    const realm_crypto_context *context, const uint8_t *bytes, size_t count,
    uint8_t mac[realm_crypto_mac_size]);

/// Computes the authentication codes of two messages of `count` bytes each. Faster than two
/// separate calls.
void realm_crypto_authenticate_pair(
    const realm_crypto_context *context, const uint8_t *a, const uint8_t *b, size_t count,
    uint8_t mac_a[realm_crypto_mac_size], uint8_t mac_b[realm_crypto_mac_size]);

/// Computes SHA-224. The next function computes HMAC-SHA-224 with a key of any length.
void realm_crypto_sha224(
    const uint8_t *bytes, size_t count, uint8_t digest[realm_crypto_mac_size], int portable);
void realm_crypto_hmac_sha224(
    const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
    uint8_t mac[realm_crypto_mac_size], int portable);

/// Computes SHA-256 in parts. `begin` sets the initial state. `blocks` processes `count` blocks of
/// 64 bytes. `end` completes a message of `count` bytes, of which the last `rest` (less than a
/// block) are not yet processed.
void realm_crypto_sha256_begin(uint32_t state[8]);
void realm_crypto_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);
void realm_crypto_sha256_end(
    uint32_t state[8], const uint8_t *bytes, size_t rest, uint64_t count, uint8_t digest[32]);

/// Returns 1 if the bytes are equal. The time does not depend on the bytes.
int realm_crypto_equal(const uint8_t *a, const uint8_t *b, size_t count);

/// Overwrites bytes with zeros. The compiler does not remove the stores even if the bytes are not
/// used again.
void realm_crypto_wipe(void *bytes, size_t count);

#endif
