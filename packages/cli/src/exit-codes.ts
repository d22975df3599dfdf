/**
 * The exit codes of `tapeloom` for scripts: an assigned number keeps its meaning. Shown by `--help` and docs/cli.md.
 */

export const ExitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  limit: 5,
  unreachable: 6,
  notNow: 7,
  noData: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export const EXIT_CODE_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [ExitCode.ok, 'success, or the reader of the output closed it'],
  [
    ExitCode.failure,
    'failure (such as a full disk at the standard output), or a check found a problem',
  ],
  [ExitCode.usage, 'wrong usage, or parameters that the service rejects'],
  [ExitCode.refused, 'not signed in, or the key may not do this'],
  [ExitCode.notFound, 'no such instrument, indicator or key'],
  [
    ExitCode.limit,
    'a limit of the plan: too many requests or connections, or the budget is used up',
  ],
  [ExitCode.unreachable, 'the service cannot be reached'],
  [ExitCode.notNow, 'the service cannot do it at the moment; try again later'],
  [ExitCode.noData, 'data for part of the range is missing, or a cursor is too old'],
  [ExitCode.interrupted, 'interrupted by ctrl-c or SIGTERM'],
];

export function exitCodeOf(code: string): ExitCode {
  if (Object.hasOwn(BY_ERROR_CODE, code)) return BY_ERROR_CODE[code]!;
  return /^HTTP_5\d\d$/.test(code) ? ExitCode.notNow : ExitCode.failure;
}

const BY_ERROR_CODE: Readonly<Record<string, ExitCode>> = {
  INVALID_PARAMETERS: ExitCode.usage,
  CONFIGURATION: ExitCode.usage,
  UNAUTHORIZED: ExitCode.refused,
  FORBIDDEN: ExitCode.refused,
  HTTP_401: ExitCode.refused,
  HTTP_403: ExitCode.refused,
  KEY_REVOKED: ExitCode.refused,
  ENTITLEMENTS_CHANGED: ExitCode.refused,
  NOT_FOUND: ExitCode.notFound,
  HTTP_404: ExitCode.notFound,
  UNKNOWN_INDICATOR: ExitCode.notFound,
  UNKNOWN_INSTRUMENT: ExitCode.notFound,
  RATE_LIMITED: ExitCode.limit,
  QUOTA_EXCEEDED: ExitCode.limit,
  TOO_MANY_CONNECTIONS: ExitCode.limit,
  HTTP_429: ExitCode.limit,
  NETWORK: ExitCode.unreachable,
  CAPACITY: ExitCode.notNow,
  WARMING: ExitCode.notNow,
  SOURCE_DOWN: ExitCode.notNow,
  UPSTREAM_ERROR: ExitCode.notNow,
  INTERNAL: ExitCode.notNow,
  NOT_COVERED: ExitCode.noData,
  CURSOR_EXPIRED: ExitCode.noData,
};
