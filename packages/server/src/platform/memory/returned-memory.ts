/**
 * Returns free memory to the system. With its default settings glibc learns from large blocks that come and go to keep
 * them, in an arena of each thread. After a rush of history, hundreds of unused megabytes would stay with the process.
 * With a fixed threshold it maps each larger block and returns it at once. Small blocks are returned on request. On
 * other systems, or without FFI, nothing changes.
 */

import { KIB, MIB } from '@tapeloom/core/units';

const LARGE_BYTES = 512 * KIB;
/** The free bytes that an arena may keep at its end. */
const SPARE_BYTES = MIB;
/** From `malloc.h`. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;

/** Resolves to whether the settings were accepted; call it once, before large allocations. */
export async function returnLargeAllocations(): Promise<boolean> {
  return await withLibc(({ mallopt }) => {
    const isTold = mallopt(M_MMAP_THRESHOLD, LARGE_BYTES) === 1;
    return mallopt(M_TRIM_THRESHOLD, SPARE_BYTES) === 1 && isTold;
  });
}

/**
 * Returns free memory between used blocks, of all threads; resolves to whether there was any. Takes some milliseconds,
 * in which other allocations wait.
 */
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

/** Suppresses the warning that the module is experimental: a failure costs nothing. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
