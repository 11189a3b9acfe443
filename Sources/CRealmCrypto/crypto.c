#include <string.h>

#include "internal.h"

#if defined(REALM_CRYPTO_X86) || defined(REALM_CRYPTO_ARM)
#define HAS_HARDWARE 1
#endif

void realm_crypto_wipe(void *bytes, size_t count) {
    memset(bytes, 0, count);
    // The compiler must assume that this statement reads the memory, so it keeps the preceding
    // stores.
    __asm__ __volatile__("" : : "r"(bytes) : "memory");
}

int realm_crypto_equal(const uint8_t *a, const uint8_t *b, size_t count) {
    uint8_t difference = 0;
    for (size_t i = 0; i < count; i++) difference |= a[i] ^ b[i];
    return difference == 0;
}

// MARK: Processor features

enum { unknown = 0, absent = 1, present = 2 };

// If several threads initialise these at once, all store the same results.
static int cached_aes, cached_sha;

static int check_aes(void) {
#ifdef HAS_HARDWARE
    if (!realm_processor_has_aes()) return 0;
    // Checks on a test case that the processor's instructions agree with the portable
    // implementation.
    realm_crypto_context context;
    uint8_t key[32], text[16 * 9], a[sizeof text], b[sizeof text], iv[16];
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)(7 * i + 1);
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(31 * i + 5);
    for (size_t i = 0; i < sizeof iv; i++) iv[i] = (uint8_t)(3 * i);
    realm_aes_expand(&context, key);
    realm_aes_prepare_hardware(&context);
    realm_aes_encrypt_portable(&context, iv, text, a, 9);
    realm_aes_encrypt_hardware(&context, iv, text, b, 9);
    if (memcmp(a, b, sizeof a) != 0) return 0;
    realm_aes_decrypt_hardware(&context, iv, b, a, 9);
    return memcmp(a, text, sizeof a) == 0;
#else
    return 0;
#endif
}

static int check_sha(void) {
#ifdef HAS_HARDWARE
    if (!realm_processor_has_sha()) return 0;
    uint8_t text[128];
    uint32_t a[8], b[8];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(29 * i + 3);
    for (uint32_t i = 0; i < 8; i++) a[i] = b[i] = 0x01234567u * (i + 1);
    realm_sha256_blocks_portable(a, text, 2);
    realm_sha256_blocks_hardware(b, text, 2);
    return memcmp(a, b, sizeof a) == 0;
#else
    return 0;
#endif
}

static int remembered(int *cache, int (*check)(void)) {
    int known = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (known == unknown) {
        known = check() ? present : absent;
        __atomic_store_n(cache, known, __ATOMIC_RELAXED);
    }
    return known == present;
}

int realm_crypto_has_aes(void) { return remembered(&cached_aes, check_aes); }
int realm_crypto_has_sha(void) { return remembered(&cached_sha, check_sha); }

// MARK: SHA-224 and HMAC

static const uint32_t initial[8] = {
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};

static void blocks(uint32_t state[8], const uint8_t *bytes, size_t count, int hardware) {
#ifdef HAS_HARDWARE
    if (hardware) return realm_sha256_blocks_hardware(state, bytes, count);
#endif
    (void)hardware;
    realm_sha256_blocks_portable(state, bytes, count);
}

// Processes the end of a message and computes the digest. The message has `count` bytes. The last
// `rest` of them, less than a block, are not yet in `state`.
static void end(
    uint32_t state[8], const uint8_t *bytes, size_t rest, uint64_t count, int hardware,
    uint8_t digest[28]) {
    uint8_t last[128] = {0};
    memcpy(last, bytes, rest);
    last[rest] = 0x80;
    size_t size = rest < 56 ? 64 : 128;
    for (int i = 0; i < 8; i++) last[size - 1 - i] = (uint8_t)(count * 8 >> (8 * i));
    blocks(state, last, size / 64, hardware);
    for (int i = 0; i < 28; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

// Processes the rest of a message and computes the digest. The first `before` bytes of the message
// are already in `state`.
static void finish(
    uint32_t state[8], const uint8_t *bytes, size_t count, uint64_t before, int hardware,
    uint8_t digest[28]) {
    size_t rest = count % 64;
    blocks(state, bytes, count / 64, hardware);
    end(state, bytes + (count - rest), rest, before + count, hardware, digest);
}

void realm_crypto_sha224(const uint8_t *bytes, size_t count, uint8_t digest[28], int portable) {
    uint32_t state[8];
    memcpy(state, initial, sizeof state);
    finish(state, bytes, count, 0, !portable && realm_crypto_has_sha(), digest);
}

void realm_crypto_sha256_begin(uint32_t state[8]) {
    static const uint32_t first[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(state, first, sizeof first);
}

void realm_crypto_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count) {
    blocks(state, bytes, count, realm_crypto_has_sha());
}

void realm_crypto_sha256_end(
    uint32_t state[8], const uint8_t *bytes, size_t rest, uint64_t count, uint8_t digest[32]) {
    uint8_t most[28];
    end(state, bytes, rest, count, realm_crypto_has_sha(), most);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

// `key` must not be longer than a block.
static void begin(
    const uint8_t *key, size_t count, uint32_t inner[8], uint32_t outer[8], int hardware) {
    uint8_t pad[64];
    memcpy(inner, initial, sizeof initial);
    memcpy(outer, initial, sizeof initial);
    for (size_t i = 0; i < 64; i++) pad[i] = (i < count ? key[i] : 0) ^ 0x36;
    blocks(inner, pad, 1, hardware);
    for (size_t i = 0; i < 64; i++) pad[i] ^= 0x36 ^ 0x5C;
    blocks(outer, pad, 1, hardware);
    realm_crypto_wipe(pad, sizeof pad);
}

// Computes the outer half of HMAC from the digest of the inner half.
static void seal(
    const uint32_t outer[8], const uint8_t digest[28], int hardware, uint8_t mac[28]) {
    uint32_t state[8];
    memcpy(state, outer, sizeof state);
    finish(state, digest, 28, 64, hardware, mac);
}

static void authenticate(
    const uint32_t inner[8], const uint32_t outer[8], const uint8_t *bytes, size_t count,
    int hardware, uint8_t mac[28]) {
    uint32_t state[8];
    uint8_t digest[28];
    memcpy(state, inner, sizeof state);
    finish(state, bytes, count, 64, hardware, digest);
    seal(outer, digest, hardware, mac);
}

void realm_crypto_hmac_sha224(
    const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t mac[28],
    int portable) {
    int hardware = !portable && realm_crypto_has_sha();
    uint8_t digest[28];
    if (key_count > 64) {
        realm_crypto_sha224(key, key_count, digest, portable);
        key = digest;
        key_count = sizeof digest;
    }
    uint32_t inner[8], outer[8];
    begin(key, key_count, inner, outer, hardware);
    authenticate(inner, outer, bytes, count, hardware, mac);
    realm_crypto_wipe(inner, sizeof inner);
    realm_crypto_wipe(outer, sizeof outer);
    realm_crypto_wipe(digest, sizeof digest);
}

// MARK: Pages

void realm_crypto_prepare(
    realm_crypto_context *context, const uint8_t key[realm_crypto_key_size], int portable) {
    memset(context, 0, sizeof *context);
    context->uses_aes_instructions = !portable && realm_crypto_has_aes();
    context->uses_sha_instructions = !portable && realm_crypto_has_sha();
    realm_aes_expand(context, key);
#ifdef HAS_HARDWARE
    if (context->uses_aes_instructions) realm_aes_prepare_hardware(context);
#endif
    begin(key + 32, 32, context->inner, context->outer, context->uses_sha_instructions);
}

void realm_crypto_encrypt(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t count) {
#ifdef HAS_HARDWARE
    if (context->uses_aes_instructions) {
        return realm_aes_encrypt_hardware(context, iv, from, to, count / 16);
    }
#endif
    realm_aes_encrypt_portable(context, iv, from, to, count / 16);
}

void realm_crypto_encrypt_several(
    const realm_crypto_context *context, size_t messages, const uint8_t *ivs,
    const uint8_t *const *from, uint8_t *to, size_t count) {
#ifdef HAS_HARDWARE
    if (context->uses_aes_instructions && messages > 1) {
        const uint8_t *iv[realm_crypto_messages], *text[realm_crypto_messages];
        uint8_t *result[realm_crypto_messages];
        for (size_t i = 0; i < realm_crypto_messages; i++) {
            // Unused lanes process the first message again, which takes no additional time.
            size_t m = i < messages ? i : 0;
            iv[i] = ivs + 16 * m;
            text[i] = from[m];
            result[i] = to + count * m;
        }
        return realm_aes_encrypt_several_hardware(context, iv, text, result, count / 16);
    }
#endif
    for (size_t m = 0; m < messages; m++) {
        realm_crypto_encrypt(context, ivs + 16 * m, from[m], to + count * m, count);
    }
}

void realm_crypto_decrypt(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t count) {
#ifdef HAS_HARDWARE
    if (context->uses_aes_instructions) {
        return realm_aes_decrypt_hardware(context, iv, from, to, count / 16);
    }
#endif
    realm_aes_decrypt_portable(context, iv, from, to, count / 16);
}

void realm_crypto_authenticate(
    const realm_crypto_context *context, const uint8_t *bytes, size_t count, uint8_t mac[28]) {
    authenticate(
        context->inner, context->outer, bytes, count, context->uses_sha_instructions, mac);
}

void realm_crypto_authenticate_pair(
    const realm_crypto_context *context, const uint8_t *a, const uint8_t *b, size_t count,
    uint8_t mac_a[28], uint8_t mac_b[28]) {
    int hardware = context->uses_sha_instructions;
    uint32_t states[2][8];
    uint32_t *const pointers[2] = {states[0], states[1]};
    const uint8_t *const bytes[2] = {a, b};
    uint8_t *const macs[2] = {mac_a, mac_b};
    for (int m = 0; m < 2; m++) memcpy(states[m], context->inner, sizeof states[m]);
#ifdef HAS_HARDWARE
    if (hardware) realm_sha256_pair_hardware(pointers, bytes, count / 64);
#endif
    for (int m = 0; m < 2; m++) {
        uint8_t digest[28];
        if (!hardware) realm_sha256_blocks_portable(pointers[m], bytes[m], count / 64);
        end(pointers[m], bytes[m], 0, 64 + count, hardware, digest);
        seal(context->outer, digest, hardware, macs[m]);
    }
}
