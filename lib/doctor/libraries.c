/* SPDX-License-Identifier: MIT
   Versions of the libraries: of the headers, and of what was loaded. */
#include "doctor/doctor.h"

#include <bzlib.h>
#include <cairo.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <jconfig.h>
#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#include <png.h>
#include <xxhash.h>
#include <yaml.h>
#include <zlib.h>

#include "store/store.h"

enum { JPEG = LIBJPEG_TURBO_VERSION_NUMBER };

static void add(struct kl_library *libraries, size_t *n, const char *name, const char *built,
                const char *found)
{
    struct kl_library *l = &libraries[(*n)++];
    l->name = name;
    snprintf(l->built, sizeof l->built, "%s", built);
    snprintf(l->found, sizeof l->found, "%s", found);
}

/* 801 is 0.8.1, 10639 is 1.6.39. */
static const char *dotted(char text[32], unsigned number)
{
    snprintf(text, 32, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    return text;
}

size_t kl_doctor_libraries(struct kl_library *libraries)
{
    char built[32], found[32];
    size_t n = 0;
    kl_store_hdf5_versions(built, found);
    add(libraries, &n, "HDF5", built, found);
    add(libraries, &n, "libpng", PNG_LIBPNG_VER_STRING, dotted(found, png_access_version_number()));
    snprintf(built, sizeof built, "%d.%d.%d", JPEG / 1000000, JPEG / 1000 % 1000, JPEG % 1000);
    add(libraries, &n, "libjpeg-turbo", built, built); /* no function */
    add(libraries, &n, "cairo", CAIRO_VERSION_STRING, cairo_version_string());
    add(libraries, &n, "jansson", JANSSON_VERSION, jansson_version_str());
    add(libraries, &n, "libyaml", yaml_get_version_string(), yaml_get_version_string()); /* no macro */
    add(libraries, &n, "OpenSSL", OPENSSL_VERSION_STR, OpenSSL_version(OPENSSL_VERSION_STRING));
    dotted(built, XXH_VERSION_NUMBER);
    add(libraries, &n, "xxHash", built, dotted(found, XXH_versionNumber()));
    add(libraries, &n, "zlib", ZLIB_VERSION, zlibVersion());
    snprintf(found, sizeof found, "%.*s", (int)strcspn(BZ2_bzlibVersion(), ","), BZ2_bzlibVersion());
    add(libraries, &n, "bzip2", found, found); /* no macro */
    snprintf(built, sizeof built, "%d.%d", __GLIBC__, __GLIBC_MINOR__);
    add(libraries, &n, "glibc", built, gnu_get_libc_version());
    return n;
}
