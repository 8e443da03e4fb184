/* SPDX-License-Identifier: MIT
   What other libraries make and may have no memory for, and gzip's reads. */
#include "calls.h"

#include <errno.h>
#include <openssl/evp.h>
#include <xxhash.h>
#include <yaml.h>
#include <zlib.h>

EVP_MD_CTX *__real_EVP_MD_CTX_new(void);
XXH3_state_t *__real_XXH3_createState(void);
int __real_yaml_parser_initialize(yaml_parser_t *parser);
int __real_yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event);
int __real_inflateInit2_(z_streamp z, int bits, const char *version, int size);
int __real_inflate(z_streamp z, int flush);
gzFile __real_gzdopen(int fd, const char *mode);
z_size_t __real_gzfread(voidp data, z_size_t size, z_size_t n, gzFile file);
const char *__real_gzerror(gzFile file, int *which);

EVP_MD_CTX *__wrap_EVP_MD_CTX_new(void)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_EVP_MD_CTX_new();
}

XXH3_state_t *__wrap_XXH3_createState(void)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_XXH3_createState();
}

int __wrap_yaml_parser_initialize(yaml_parser_t *parser)
{
    return fault_fails(FAULT_MEMORY) ? 0 : __real_yaml_parser_initialize(parser);
}

int __wrap_yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event)
{
    if (!fault_fails(FAULT_MEMORY)) return __real_yaml_parser_parse(parser, event);
    parser->error = YAML_MEMORY_ERROR;
    return 0;
}

int __wrap_inflateInit2_(z_streamp z, int bits, const char *version, int size)
{
    return fault_fails(FAULT_MEMORY) ? Z_MEM_ERROR : __real_inflateInit2_(z, bits, version, size);
}

int __wrap_inflate(z_streamp z, int flush)
{
    return fault_fails(FAULT_MEMORY) ? Z_MEM_ERROR : __real_inflate(z, flush);
}

gzFile __wrap_gzdopen(int fd, const char *mode)
{
    return fault_fails(FAULT_MEMORY) ? fault_no_memory() : __real_gzdopen(fd, mode);
}

/* zlib reads by itself: what its read would have said is kept for gzerror. */
static _Thread_local int gz_failed;

z_size_t __wrap_gzfread(voidp data, z_size_t size, z_size_t n, gzFile file)
{
    gz_failed = fault_fails(FAULT_READ) ? Z_ERRNO : fault_fails(FAULT_MEMORY) ? Z_MEM_ERROR : Z_OK;
    if (!gz_failed) return __real_gzfread(data, size, n, file);
    errno = gz_failed == Z_ERRNO ? EIO : ENOMEM;
    return 0;
}

const char *__wrap_gzerror(gzFile file, int *which)
{
    const char *words = __real_gzerror(file, which);
    if (gz_failed) *which = gz_failed;
    return words;
}
