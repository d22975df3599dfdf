/**
 * Which machine faults are temporary and had no effect: the same call may be repeated as if it had not been made. A
 * fault of a write, sync or truncate is never one of them, since the content of the disk is then in doubt.
 */

/** The reason for each is in docs/decisions/0023. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  'EMFILE', // this process is at its limit of open files
  'ENFILE', // the machine is at its limit of open files
  'EAGAIN', // the resource is temporarily unavailable
  'EINTR', // a signal interrupted the call
  'ENOMEM', // the kernel is out of memory
  'EBUSY', // another program holds the name: a scanner, a backup
]);

/** Calls without effect when they fail: they read, or change one name atomically. */
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

/** A thread could not be started: no files for its event loop, or no thread. */
const THREAD_NOT_BEGUN = 'ERR_WORKER_INIT_FAILED';

export function isPassingFault(error: unknown): boolean {
  const { code, syscall } = asSystemError(error);
  return PASSING_CODES.has(code) && UNDONE_CALLS.has(syscall);
}

/** Whether a thread ended for lack of machine resources; another may be started later. */
export function isPassingThreadFault(error: unknown): boolean {
  return isPassingFault(error) || asSystemError(error).code === THREAD_NOT_BEGUN;
}

function asSystemError(error: unknown): Partial<NodeJS.ErrnoException> {
  return error instanceof Error ? error : {};
}
