/* SPDX-License-Identifier: Apache-2.0 */
/* The outermost level of a protobuf, then the names among what it holds. */
#include "model/metadata.h"
#include "runtime/onnx_metadata.h"
#include "runtime/session_info.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct weir_session_info info = {0};
    int fd = memfd_create("model", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    weir_onnx_metadata_read(path, &info);
    assert(info.metadata_count <= WEIR_ONNX_METADATA_MAX);
    for (size_t i = 0; i < info.metadata_count; i++) {
        struct weir_labels labels = {0};
        assert(info.metadata[i].key != NULL && info.metadata[i].value != NULL);
        int code = weir_labels_parse_names(&labels, info.metadata[i].value);
        assert((code == 0) == (labels.count > 0));
        weir_labels_fini(&labels);
    }
    weir_session_info_fini(&info);
    close(fd);
    return 0;
}
