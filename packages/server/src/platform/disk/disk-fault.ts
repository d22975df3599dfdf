/**
 * Describes why a disk cannot be written, for faults of the system and of SQLite. An error from another thread has lost
 * its code, so its message is examined too.
 */

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EIO: 'the disk reported an I/O error',
  ENOTDIR: 'a file is where a directory should be',
  ENOENT: 'no directory can be made there',
};
const SQLITE_REASONS: readonly (readonly [code: number, words: RegExp, reason: string])[] = [
  [13, /database or disk is full/, REASONS.ENOSPC!],
  [8, /attempt to write a readonly database/, 'it cannot be written'],
  [10, /disk I\/O error/, REASONS.EIO!],
  [14, /unable to open database file/, 'no file can be opened or made there'],
];
const MAY_PASS = new Set<string>([REASONS.ENOSPC!, REASONS.EDQUOT!, REASONS.EROFS!, REASONS.EIO!]);
const IN_WORDS = /\b(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|ENOTDIR|ENOENT): [^,]+, (\w+)/;
/** Calls that write or create a name. */
const DISK_CALLS = new Set(['open', 'write', 'fsync', 'fdatasync', 'ftruncate', 'mkdir', 'rename']);

/** Null for another kind of error. */
export function diskFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const system = IN_WORDS.exec(error.message);
  if (system !== null && DISK_CALLS.has(system[2]!)) return REASONS[system[1]!]!;
  const { errcode } = error as { errcode?: unknown };
  for (const [code, words, reason] of SQLITE_REASONS) {
    if ((typeof errcode === 'number' && (errcode & 0xff) === code) || words.test(error.message)) {
      return reason;
    }
  }
  return diskFault(error.cause);
}

export function mayPass(error: unknown): boolean {
  const reason = diskFault(error);
  return reason !== null && MAY_PASS.has(reason);
}
