/* SPDX-License-Identifier: MIT
   The tool of one stage. */
#include "tests/stages/stage.h"

int main(int argc, char **argv)
{
    return kl_store_mode_main(&stage_mode, argc, argv, stdout, stderr);
}
