/**
 * The log: JSON lines, or one readable line each on a terminal. No secret reaches it: fields with secrets are redacted
 * by name, and anything in the finished line that looks like a key is redacted too. With a limit, excess lines are
 * dropped, but never a fatal one.
 */

import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import type { LogLimit } from './log-limit.ts';

export type Log = Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Names of fields and headers whose values are secrets, at any of the first three levels. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'resume',
  'key',
  'x-export-token',
];
const SECRET_PATHS = SECRET_FIELDS.flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
  `*.*["${name}"]`,
]);
const KEY_LIKE = /\bsvc_(live|test|token|link|session)_[0-9A-Za-z]+/g;
const SECRET_QUERY = /([?&](?:resume|token|key)=)[^&\s"\\]+/gi;

const FATAL = 60;
const LEVEL_NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info ',
  40: 'warn ',
  50: 'ERROR',
  60: 'FATAL',
};

export interface LogOptions {
  readonly level: LogLevel;
  /** One readable line instead of a JSON object. */
  readonly readable: boolean;
  readonly write: (line: string) => void;
  readonly limit?: LogLimit;
}

export function createLog(options: LogOptions): Log {
  const destination: DestinationStream = {
    write: (line: string) => options.write(options.readable ? readableLine(line) : line),
  };
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
      serializers: { error: pino.stdSerializers.errWithCause },
      errorKey: 'error',
      hooks: { streamWrite: blotSecrets, ...limitHook(options.limit) },
    },
    destination,
  );
}

function limitHook(limit: LogLimit | undefined) {
  if (limit === undefined) return {};
  return {
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
      if (level < FATAL && !limit.take()) return;
      const leftOut = limit.takeLeftOut();
      method.apply(this, args);
      if (leftOut === 0) return;
      method.call(this, { leftOut }, 'log lines were dropped before this one: there were too many');
    },
  };
}

/** Redacts anything that looks like a key, a token, or a query parameter with one. */
export function blotSecrets(line: string): string {
  return line.replace(KEY_LIKE, 'svc_$1_[redacted]').replace(SECRET_QUERY, '$1[redacted]');
}

function readableLine(line: string): string {
  const { time, level, msg, error, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const fields = Object.entries(rest).map(([name, value]) => ` ${name}=${fieldText(value)}`);
  const stack = (error as { stack?: string } | undefined)?.stack;
  const trace = stack === undefined ? '' : `\n${stack}`;
  return `${clock} ${LEVEL_NAMES[Number(level)]} ${msg ?? ''}${fields.join('')}${trace}\n`;
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
}
