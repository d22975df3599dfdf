/**
 * Which faults of the machine pass by themselves and have done nothing: the same call may be made again
 * later, as if it had not been made before. A fault of a write, a sync or a cut is never one of them, whatever
 * its name, since it leaves in doubt what is on the disk.
 */

/** Why each is waited for is in docs/decisions/0023. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  'EMFILE', // this process has all the files open that it may have
  'ENFILE', // the machine has
  'EAGAIN', // not now
  'EINTR', // a signal came first
  'ENOMEM', // the kernel has no memory for it
  'EBUSY', // another program holds the name: a scanner, a backup
]);

/** Calls that change nothing when they fail: they look, or make or change one name in one step. */
const UNDONE_CALLS: ReadonlySet<unknown> = new Set([
  'open',
  'read',
  'stat',
  'scandir',
  'statfs',
  'mkdir',
  'rename',
  'unlink',
]);

/** A thread that could not be begun: no files for its event loop, or no thread. */
const THREAD_NOT_BEGUN = 'ERR_WORKER_INIT_FAILED';

export function isPassingFault(error: unknown): boolean {
  const { code, syscall } = asSystemError(error);
  return PASSING_CODES.has(code) && UNDONE_CALLS.has(syscall);
}

/** Whether a thread ended because the machine could not give it what it needs; another may be begun later. */
export function isPassingThreadFault(error: unknown): boolean {
  return isPassingFault(error) || asSystemError(error).code === THREAD_NOT_BEGUN;
}

function asSystemError(error: unknown): Partial<NodeJS.ErrnoException> {
  return error instanceof Error ? error : {};
}
