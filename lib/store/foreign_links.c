/* SPDX-License-Identifier: MIT
   Links in a foreign HDF5 file, in the process that parses it: soft ones are followed inside of the
   file, none into another. */
#include <stdlib.h>
#include <string.h>

#include "store/foreign_child.h"

/* Every component is a plain link. */
static bool is_plain(hid_t file, const char *name)
{
    char part[KL_FOREIGN_NAME];
    H5L_info_t info;
    for (size_t i = 1; i <= strlen(name) && i < sizeof part; i++) {
        if (name[i] != '/' && name[i] != 0) continue;
        memcpy(part, name, i);
        part[i] = 0;
        if (H5Lget_info(file, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return false;
    }
    return strlen(name) < sizeof part;
}

bool kl_store_foreign_is_dataset(hid_t file, const char *name)
{
    H5O_info_t info;
    return is_plain(file, name) &&
           H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           info.type == H5O_TYPE_DATASET;
}

static int refuse_external(struct kl_answer *a, const char *name, hid_t file, const char *link,
                           size_t size)
{
    char value[1024] = "", text[400];
    const char *to = "", *in = "";
    if (size > sizeof value || H5Lget_val(file, link, value, sizeof value, H5P_DEFAULT) < 0 ||
        H5Lunpack_elink_val(value, size, NULL, &in, &to) < 0)
        in = "?";
    snprintf(text, sizeof text, "a link to %.150s of another file, '%.150s'; give that file", to, in);
    kl_make_printable(text);
    return kl_store_answer_refuse(a, name, text);
}

/* The soft link `plain`, of which `before` bytes are its group, is replaced in path by where it leads;
   false: that is too long. */
static bool replace(char path[KL_FOREIGN_NAME], hid_t file, const char *plain, size_t before,
                    const char *rest, size_t size)
{
    char to[KL_FOREIGN_NAME], all[3 * KL_FOREIGN_NAME];
    if (size > sizeof to || H5Lget_val(file, plain, to, sizeof to, H5P_DEFAULT) < 0) return false;
    to[sizeof to - 1] = 0;
    const int n = snprintf(all, sizeof all, "%.*s%s%s", *to == '/' ? 0 : (int)before, plain, to, rest);
    if (n < 0 || n >= KL_FOREIGN_NAME) return false;
    memcpy(path, all, (size_t)n + 1);
    return true;
}

int kl_store_foreign_follow(char to[KL_FOREIGN_NAME], hid_t file, const char *name, struct kl_answer *a)
{
    enum { MOST = 16 }; /* as HDF5 itself */
    char path[KL_FOREIGN_NAME], plain[KL_FOREIGN_NAME] = "";
    snprintf(path, sizeof path, "%s", strlen(name) < sizeof path ? name : "");
    for (int links = 0; links <= MOST; links++) {
        bool followed = false;
        size_t n = 0;
        for (const char *at = path + strspn(path, "/"); *at && !followed;) {
            H5L_info_t info;
            const size_t length = strcspn(at, "/"), before = n;
            const char *rest = at + length;
            n += (size_t)snprintf(plain + n, sizeof plain - n, "%s%.*s", n ? "/" : "", (int)length, at);
            if (H5Lget_info(file, plain, &info, H5P_DEFAULT) < 0) goto absent;
            if (info.type == H5L_TYPE_EXTERNAL)
                return refuse_external(a, name, file, plain, info.u.val_size);
            if (info.type == H5L_TYPE_SOFT) {
                followed = true;
                if (!replace(path, file, plain, before ? before + 1 : 0, rest, info.u.val_size))
                    goto absent;
            } else if (info.type != H5L_TYPE_HARD) goto absent;
            at = rest + strspn(rest, "/");
        }
        if (followed) continue;
        memcpy(to, plain, n + 1);
        return 0;
    }
absent:
    snprintf(to, KL_FOREIGN_NAME, "%s", name);
    return 0;
}
