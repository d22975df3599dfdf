/**
 * Lets the system have large pieces of memory back as soon as they are free. The allocator of glibc learns from
 * large pieces that come and go to keep them, in an arena of every thread: after a rush of history hundreds of
 * megabytes that nobody uses would stay with the process. Told a fixed size, it asks the system for each larger
 * piece and returns it. Elsewhere, or where the runtime cannot call it, everything stays as it is.
 */

const LARGE_BYTES = 512 * 1_024;
/** What an arena may keep at its end. */
const SPARE_BYTES = 1_024 * 1_024;
/** Of `malloc.h`. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;

/** Resolves to whether it could be said; to be called once, before much is allocated. */
export async function returnLargeAllocations(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const ffi = await quietly(() => import('node:ffi'));
    using libc = ffi.dlopen(null, {
      mallopt: { arguments: ['int32', 'int32'], return: 'int32' },
    });
    const { mallopt } = libc.functions;
    return (
      mallopt(M_MMAP_THRESHOLD, LARGE_BYTES) === 1 && mallopt(M_TRIM_THRESHOLD, SPARE_BYTES) === 1
    );
  } catch {
    return false;
  }
}

/** Without the runtime's word that it is experimental: where it fails, nothing is lost. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
