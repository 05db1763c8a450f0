/* SHA-256 as in FIPS 180-4: content digests of loaded files. */
#include "config.h"

#include "common/digest.h"

#include <string.h>
#ifdef HAVE_CRYPTO
#include <openssl/evp.h>
#endif

/* First 32 bits of the fractions of the cube roots of the first 64 primes (section 4.2.2). */
static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/*
 * One round of section 6.2.2, step 3. The names of the working variables move on by one from round
 * to round instead of their values: eight rounds bring them back.
 */
#define ROUND(a, b, c, d, e, f, g, h, t)                                                           \
	do {                                                                                       \
		uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +                \
			       (g ^ (e & (f ^ g))) + k[t] + w[t];                                  \
		uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +                    \
			       ((a & b) | (c & (a | b)));                                          \
		d += one;                                                                          \
		h = one + two;                                                                     \
	} while (0)

/* Section 6.2.2. */
static void add_block(uint32_t sum[8], const unsigned char *p)
{
	uint32_t a = sum[0], b = sum[1], c = sum[2], d = sum[3];
	uint32_t e = sum[4], f = sum[5], g = sum[6], h = sum[7];
	uint32_t w[64];

	for (int t = 0; t < 16; t++, p += 4)
		w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int t = 16; t < 64; t++) {
		uint32_t x = w[t - 15], y = w[t - 2];

		w[t] = w[t - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[t - 7] +
		       (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
	}
	for (int t = 0; t < 64; t += 8) {
		ROUND(a, b, c, d, e, f, g, h, t);
		ROUND(h, a, b, c, d, e, f, g, t + 1);
		ROUND(g, h, a, b, c, d, e, f, t + 2);
		ROUND(f, g, h, a, b, c, d, e, t + 3);
		ROUND(e, f, g, h, a, b, c, d, t + 4);
		ROUND(d, e, f, g, h, a, b, c, t + 5);
		ROUND(c, d, e, f, g, h, a, b, t + 6);
		ROUND(b, c, d, e, f, g, h, a, t + 7);
	}
	sum[0] += a;
	sum[1] += b;
	sum[2] += c;
	sum[3] += d;
	sum[4] += e;
	sum[5] += f;
	sum[6] += g;
	sum[7] += h;
}

void pm_digest_init_plain(struct pm_digest *d)
{
	/* Fractions of the square roots of the first eight primes (section 5.3.3). */
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	d->evp = NULL;
	memcpy(d->h, start, sizeof start);
	d->bytes = 0;
}

static void own_add(struct pm_digest *d, const void *data, size_t n)
{
	const unsigned char *p = data;
	size_t have = d->bytes % 64;

	d->bytes += n;
	if (have) {
		size_t take = n < 64 - have ? n : 64 - have;

		memcpy(d->block + have, p, take);
		p += take;
		n -= take;
		if (have + take < 64)
			return;
		add_block(d->h, d->block);
	}
	for (; n >= 64; p += 64, n -= 64)
		add_block(d->h, p);
	if (n)
		memcpy(d->block, p, n);
}

static void own_finish(struct pm_digest *d, unsigned char sum[32])
{
	uint64_t bits = d->bytes * 8;
	unsigned char tail[8];

	own_add(d, "\x80", 1);
	while (d->bytes % 64 != 56)
		own_add(d, "", 1);
	for (int i = 0; i < 8; i++)
		tail[i] = (unsigned char)(bits >> (56 - 8 * i));
	own_add(d, tail, sizeof tail);
	for (int i = 0; i < 32; i++)
		sum[i] = (unsigned char)(d->h[i / 4] >> (24 - 8 * (i % 4)));
}

/* libcrypto has the processors' own instructions for it. NULL where it is not there or refuses. */
static void *begin_evp(void)
{
#ifdef HAVE_CRYPTO
	EVP_MD_CTX *evp = EVP_MD_CTX_new();

	if (evp && EVP_DigestInit_ex(evp, EVP_sha256(), NULL) == 1)
		return evp;
	EVP_MD_CTX_free(evp);
#endif
	return NULL;
}

void pm_digest_init(struct pm_digest *d)
{
	d->evp = begin_evp();
	if (!d->evp)
		pm_digest_init_plain(d);
}

void pm_digest_add(struct pm_digest *d, const void *data, size_t n)
{
#ifdef HAVE_CRYPTO
	/* It fails only before it was begun. */
	if (d->evp) {
		EVP_DigestUpdate(d->evp, data, n);
		return;
	}
#endif
	own_add(d, data, n);
}

void pm_digest_text(struct pm_digest *d, char text[PM_DIGEST_TEXT])
{
	unsigned char sum[32];

#ifdef HAVE_CRYPTO
	if (d->evp)
		EVP_DigestFinal_ex(d->evp, sum, NULL);
	else
#endif
		own_finish(d, sum);
	pm_digest_drop(d);
	for (int i = 0; i < 32; i++) {
		text[2 * i] = "0123456789abcdef"[sum[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[sum[i] & 15];
	}
	text[64] = '\0';
}

void pm_digest_drop(struct pm_digest *d)
{
#ifdef HAVE_CRYPTO
	EVP_MD_CTX_free(d->evp);
#endif
	d->evp = NULL;
}
