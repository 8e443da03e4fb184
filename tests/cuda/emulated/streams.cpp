/* SPDX-License-Identifier: MIT
   See cuda_runtime.h here: streams, events and graphs. Work that is put into a stream runs as late as it
   may: when the host waits for that stream or for an event behind it, and then together with what it was
   told to wait for, nothing else. So a stream that should have waited for another one reads what is not
   there yet, and a buffer of the host that is used again too early changes what is sent. */
#include "streams.h"

#include <stdlib.h>
#include <time.h>

#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

struct emulated_graph {
    std::vector<std::function<void()>> work;
};
struct emulated_stream {
    bool blocking; /* the default stream waits for it */
    uint64_t put, done;
    std::deque<std::function<void()>> work;
    emulated_graph *captures;
    bool gone;
    int device;
};
struct emulated_event {
    bool timed;
    std::shared_ptr<double> at; /* set by work that may outlive the event */
    cudaStream_t stream; /* NULL: recorded nowhere, or in the default stream, which runs at once */
    uint64_t behind;     /* so many pieces of its work */
};

static std::recursive_mutex lock; /* of all here: one piece of work runs at a time */
static std::set<cudaStream_t> streams;
typedef std::lock_guard<std::recursive_mutex> holding;

static void run_until(cudaStream_t s, uint64_t end)
{
    while (s->done < end) {
        const std::function<void()> work = s->work.front();
        s->work.pop_front();
        s->done++;
        work();
    }
}

void emulated_wait(bool every)
{
    const holding hold(lock);
    for (auto at = streams.begin(); at != streams.end();) {
        const cudaStream_t s = *at;
        if (s->captures) emulated_die("a call that waits, while a stream is being captured");
        if (every || s->blocking) run_until(s, s->put);
        at = s->gone && s->done == s->put ? streams.erase(at) : std::next(at);
    }
}

cudaError_t emulated_enqueue(cudaStream_t s, std::function<void()> work)
{
    const holding hold(lock);
    if (s && s->device != emulated_device()) return cudaErrorInvalidResourceHandle;
    if (!s) {
        emulated_wait(false);
        work();
    } else if (s->captures) {
        const char *captures = getenv("KETLINE_EMULATED_CAPTURE");
        if (captures && strcmp(captures, "0") == 0) return cudaErrorStreamCaptureUnsupported;
        s->captures->work.push_back(work);
    } else {
        s->work.push_back(work);
        s->put++;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = NULL;
    MAY_FAIL();
    const holding hold(lock);
    *stream = new emulated_stream{
        !(flags & cudaStreamNonBlocking), 0, 0, {}, NULL, false, emulated_device()
    };
    streams.insert(*stream);
    emulated_hold(1);
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}
/* Does not wait: its work goes on. Events may still name it, so neither it nor the list of such goes. */
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    const holding hold(lock);
    if (s->captures) emulated_die("a stream is destroyed that is being captured");
    s->gone = true;
    if (s->done == s->put) streams.erase(s);
    static std::vector<cudaStream_t> *const gone = new std::vector<cudaStream_t>;
    gone->push_back(s);
    emulated_hold(-1);
    return cudaSuccess;
}
/* Whatever it then says, nothing is on its way any more. */
cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    const holding hold(lock);
    if (!s) emulated_wait(false);
    else if (s->captures) return cudaErrorStreamCaptureUnsupported;
    else run_until(s, s->put);
    return emulated_fails();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned)
{
    MAY_FAIL();
    const holding hold(lock);
    const cudaStream_t other = event->stream;
    const uint64_t behind = event->behind;
    if (s->captures) return cudaErrorStreamCaptureUnsupported;
    return other ? emulated_enqueue(s, [=] { run_until(other, behind); }) : cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode)
{
    MAY_FAIL();
    const holding hold(lock);
    const char *captures = getenv("KETLINE_EMULATED_CAPTURE");
    if (s->captures || (captures && strcmp(captures, "never") == 0))
        return cudaErrorStreamCaptureUnsupported;
    s->captures = new emulated_graph;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph)
{
    const holding hold(lock);
    emulated_graph *captured = s->captures;
    const cudaError_t failed = emulated_fails();
    *graph = failed ? NULL : captured;
    s->captures = NULL;
    if (!captured) return cudaErrorStreamCaptureUnsupported;
    if (failed) delete captured;
    else emulated_hold(1);
    return failed;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
    *exec = NULL;
    MAY_FAIL();
    *exec = new emulated_graph(*graph);
    emulated_hold(1);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    MAY_FAIL();
    return emulated_enqueue(stream, [=] {
        for (const auto &work : exec->work) work();
    });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    emulated_hold(-1);
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    emulated_wait(true);
    delete exec;
    emulated_hold(-1);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = NULL;
    MAY_FAIL();
    *event =
        new emulated_event{ !(flags & cudaEventDisableTiming), std::make_shared<double>(0), NULL, 0 };
    emulated_hold(1);
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    emulated_hold(-1);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    MAY_FAIL();
    const holding hold(lock);
    const std::shared_ptr<double> at = event->at;
    emulated_enqueue(stream, [=] {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        *at = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    });
    event->stream = stream;
    event->behind = stream ? stream->put : 0;
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    MAY_FAIL();
    const holding hold(lock);
    if (event->stream) run_until(event->stream, event->behind);
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    const holding hold(lock);
    if (!begin->timed || !end->timed) return cudaErrorUnknown;
    *ms = (float)(1e3 * (*end->at - *begin->at));
    return cudaSuccess;
}
