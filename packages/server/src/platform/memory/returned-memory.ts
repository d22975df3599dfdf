/**
 * Lets the system have memory back that is free. Large pieces as soon as they are: the allocator of glibc learns from
 * large pieces that come and go to keep them, in an arena of every thread: after a rush of history hundreds of
 * megabytes that nobody uses would stay with the process. Told a fixed size, it asks the system for each larger
 * piece and returns it. Small ones when it is asked to. Elsewhere, or where the runtime cannot call it,
 * everything stays as it is.
 */

import { KIB, MIB } from '@tapeloom/core/units';

const LARGE_BYTES = 512 * KIB;
/** What an arena may keep at its end. */
const SPARE_BYTES = MIB;
/** Of `malloc.h`. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;

/** Resolves to whether it could be said; to be called once, before much is allocated. */
export async function returnLargeAllocations(): Promise<boolean> {
  return await withLibc(({ mallopt }) => {
    const isTold = mallopt(M_MMAP_THRESHOLD, LARGE_BYTES) === 1;
    return mallopt(M_TRIM_THRESHOLD, SPARE_BYTES) === 1 && isTold;
  });
}

/** What lies free between pieces that are in use, of all threads; resolves to whether there was any. Takes
 * some milliseconds, in which others that want memory wait. */
export async function returnFreeMemory(): Promise<boolean> {
  return await withLibc(({ malloc_trim }) => malloc_trim(0n) === 1);
}

interface LibcFunctions {
  mallopt(what: number, value: number): number;
  malloc_trim(spareBytes: bigint): number;
}

async function withLibc(call: (functions: LibcFunctions) => boolean): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const ffi = await quietly(() => import('node:ffi'));
    using libc = ffi.dlopen(null, {
      mallopt: { arguments: ['int32', 'int32'], return: 'int32' },
      malloc_trim: { arguments: ['uint64'], return: 'int32' },
    });
    return call(libc.functions as unknown as LibcFunctions);
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
