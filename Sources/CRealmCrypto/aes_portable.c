// Portable AES-256. Processes four blocks at once in "sliced" form: each bit of a byte is in a
// separate word. Bit p of word i is bit i of byte p. No table access and no branch depends on data,
// so the time does not depend on the key.

#include <string.h>

#include "internal.h"

typedef struct {
    uint64_t bit[8];
} sliced;

// Transposes a matrix of 8 by 8 bits.
static uint64_t transpose(uint64_t x) {
    uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAull;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCull;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ull;
    return x ^ t ^ (t << 28);
}

static sliced load(const uint8_t bytes[64]) {
    sliced s = {{0}};
    for (int group = 0; group < 8; group++) {
        uint64_t x = 0;
        for (int i = 0; i < 8; i++) x |= (uint64_t)bytes[8 * group + i] << (8 * i);
        x = transpose(x);
        for (int i = 0; i < 8; i++) s.bit[i] |= ((x >> (8 * i)) & 0xFF) << (8 * group);
    }
    return s;
}

static void store(const sliced *s, uint8_t bytes[64]) {
    for (int group = 0; group < 8; group++) {
        uint64_t x = 0;
        for (int i = 0; i < 8; i++) x |= ((s->bit[i] >> (8 * group)) & 0xFF) << (8 * i);
        x = transpose(x);
        for (int i = 0; i < 8; i++) bytes[8 * group + i] = (uint8_t)(x >> (8 * i));
    }
}

// Reduces a polynomial with fifteen coefficients to eight, modulo x^8 + x^4 + x^3 + x + 1.
static inline __attribute__((always_inline)) sliced reduce(uint64_t p[15]) {
#pragma clang loop unroll(full)
    for (int i = 14; i >= 8; i--) {
        p[i - 4] ^= p[i];
        p[i - 5] ^= p[i];
        p[i - 7] ^= p[i];
        p[i - 8] ^= p[i];
    }
    sliced s;
    for (int i = 0; i < 8; i++) s.bit[i] = p[i];
    return s;
}

static sliced multiply(const sliced *a, const sliced *b) {
    uint64_t p[15] = {0};
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) {
#pragma clang loop unroll(full)
        for (int j = 0; j < 8; j++) p[i + j] ^= a->bit[i] & b->bit[j];
    }
    return reduce(p);
}

static sliced square(const sliced *a) {
    uint64_t p[15] = {0};
    for (int i = 0; i < 8; i++) p[2 * i] = a->bit[i];
    return reduce(p);
}

// Raises x to the power of 254. The result is the inverse of x; 0 for x = 0.
static sliced invert(const sliced *x) {
    sliced x2 = square(x);
    sliced x3 = multiply(&x2, x);
    sliced x12 = square(&x3);
    x12 = square(&x12);
    sliced x240 = multiply(&x12, &x3);
    for (int i = 0; i < 4; i++) x240 = square(&x240);
    sliced x252 = multiply(&x240, &x12);
    return multiply(&x252, &x2);
}

// The affine step of the S-box: bit i becomes the sum of the bits i, i+4, ..., i+7 and of bit i of
// 0x63.
static void substitute(sliced *s) {
    sliced v = invert(s);
    for (int i = 0; i < 8; i++) {
        uint64_t x = v.bit[i];
        for (int j = 4; j < 8; j++) x ^= v.bit[(i + j) & 7];
        s->bit[i] = (0x63 >> i) & 1 ? ~x : x;
    }
}

static void substitute_back(sliced *s) {
    sliced v;
    for (int i = 0; i < 8; i++) {
        uint64_t x = s->bit[(i + 2) & 7] ^ s->bit[(i + 5) & 7] ^ s->bit[(i + 7) & 7];
        v.bit[i] = (0x05 >> i) & 1 ? ~x : x;
    }
    *s = invert(&v);
}

// Rotates row r of a block by r columns. Byte p of a block is in row p % 4 of column p / 4.
static uint64_t shift_rows(uint64_t x) {
    return (x & 0x1111111111111111ull) | ((x >> 4) & 0x0222022202220222ull)
        | ((x << 12) & 0x2000200020002000ull) | ((x >> 8) & 0x0044004400440044ull)
        | ((x << 8) & 0x4400440044004400ull) | ((x >> 12) & 0x0008000800080008ull)
        | ((x << 4) & 0x8880888088808880ull);
}

static uint64_t shift_rows_back(uint64_t x) {
    return (x & 0x1111111111111111ull) | ((x << 4) & 0x2220222022202220ull)
        | ((x >> 12) & 0x0002000200020002ull) | ((x << 8) & 0x4400440044004400ull)
        | ((x >> 8) & 0x0044004400440044ull) | ((x << 12) & 0x8000800080008000ull)
        | ((x >> 4) & 0x0888088808880888ull);
}

// Replaces each row by the next row of the same column.
static uint64_t next_row(uint64_t x) {
    return ((x >> 1) & 0x7777777777777777ull) | ((x << 3) & 0x8888888888888888ull);
}

static uint64_t second_row(uint64_t x) {
    return ((x >> 2) & 0x3333333333333333ull) | ((x << 2) & 0xCCCCCCCCCCCCCCCCull);
}

static sliced times_x(const sliced *s) {
    sliced r;
    for (int i = 0; i < 8; i++) r.bit[i] = i == 0 ? s->bit[7] : s->bit[i - 1];
    r.bit[1] ^= s->bit[7];
    r.bit[3] ^= s->bit[7];
    r.bit[4] ^= s->bit[7];
    return r;
}

static void mix_columns(sliced *s) {
    sliced sum, next;
    for (int i = 0; i < 8; i++) {
        next.bit[i] = next_row(s->bit[i]);
        sum.bit[i] = s->bit[i] ^ next.bit[i];
    }
    sliced doubled = times_x(&sum);
    for (int i = 0; i < 8; i++) {
        s->bit[i] = doubled.bit[i] ^ next.bit[i] ^ second_row(sum.bit[i]);
    }
}

static void mix_columns_back(sliced *s) {
    sliced sum;
    for (int i = 0; i < 8; i++) sum.bit[i] = s->bit[i] ^ second_row(s->bit[i]);
    sum = times_x(&sum);
    sum = times_x(&sum);
    for (int i = 0; i < 8; i++) s->bit[i] ^= sum.bit[i];
    mix_columns(s);
}

static void add(sliced *s, const uint64_t key[8]) {
    for (int i = 0; i < 8; i++) s->bit[i] ^= key[i];
}

static void encrypt(const realm_crypto_context *context, uint8_t bytes[64]) {
    sliced s = load(bytes);
    add(&s, context->sliced[0]);
    for (int round = 1; round <= 14; round++) {
        substitute(&s);
        for (int i = 0; i < 8; i++) s.bit[i] = shift_rows(s.bit[i]);
        if (round < 14) mix_columns(&s);
        add(&s, context->sliced[round]);
    }
    store(&s, bytes);
}

static void decrypt(const realm_crypto_context *context, uint8_t bytes[64]) {
    sliced s = load(bytes);
    for (int round = 14; round >= 1; round--) {
        add(&s, context->sliced[round]);
        if (round < 14) mix_columns_back(&s);
        for (int i = 0; i < 8; i++) s.bit[i] = shift_rows_back(s.bit[i]);
        substitute_back(&s);
    }
    add(&s, context->sliced[0]);
    store(&s, bytes);
}

static void substitute_word(uint8_t word[4]) {
    uint8_t bytes[64] = {0};
    memcpy(bytes, word, 4);
    sliced s = load(bytes);
    substitute(&s);
    store(&s, bytes);
    memcpy(word, bytes, 4);
}

void realm_aes_expand(realm_crypto_context *context, const uint8_t key[32]) {
    uint8_t *words = &context->encryption[0][0];
    memcpy(words, key, 32);
    uint8_t constant = 1;
    for (int i = 8; i < 60; i++) {
        uint8_t word[4];
        memcpy(word, words + 4 * (i - 1), 4);
        if (i % 8 == 0) {
            uint8_t first = word[0];
            memmove(word, word + 1, 3);
            word[3] = first;
            substitute_word(word);
            word[0] ^= constant;
            constant = (uint8_t)(constant << 1);
        } else if (i % 8 == 4) {
            substitute_word(word);
        }
        for (int j = 0; j < 4; j++) words[4 * i + j] = words[4 * (i - 8) + j] ^ word[j];
    }
    for (int round = 0; round < 15; round++) {
        uint8_t four[64];
        for (int i = 0; i < 4; i++) memcpy(four + 16 * i, context->encryption[round], 16);
        sliced s = load(four);
        memcpy(context->sliced[round], s.bit, sizeof s.bit);
        realm_crypto_wipe(four, sizeof four);
    }
}

void realm_aes_encrypt_portable(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks) {
    uint8_t four[64] = {0};
    const uint8_t *last = iv;
    for (size_t i = 0; i < blocks; i++) {
        for (int j = 0; j < 16; j++) four[j] = from[16 * i + j] ^ last[j];
        encrypt(context, four);
        memcpy(to + 16 * i, four, 16);
        last = to + 16 * i;
    }
}

void realm_aes_decrypt_portable(
    const realm_crypto_context *context, const uint8_t iv[16], const uint8_t *from, uint8_t *to,
    size_t blocks) {
    uint8_t four[64] = {0};
    const uint8_t *last = iv;
    for (size_t i = 0; i < blocks; i += 4) {
        size_t count = blocks - i < 4 ? blocks - i : 4;
        memcpy(four, from + 16 * i, 16 * count);
        decrypt(context, four);
        for (size_t b = 0; b < count; b++) {
            for (int j = 0; j < 16; j++) to[16 * (i + b) + j] = four[16 * b + j] ^ last[j];
            last = from + 16 * (i + b);
        }
    }
    realm_crypto_wipe(four, sizeof four);
}
