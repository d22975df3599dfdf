/**
 * Reports a command's error on stderr: a sentence, or with `--json` one JSON line, always the last. Keys are masked.
 */

import type { TapeloomError } from '@tapeloom/client';
import { CommandError, type CommandIo, UsageError } from './command.ts';
import { failureOf, NotSignedInError } from './customer/failure.ts';
import { ExitCode } from './exit-codes.ts';

const SECRET_TEXT = /\bsvc_(live|test|token)_[0-9A-Za-z]+/g;

export interface ErrorReport {
  /** Such as `tapeloom history`. */
  readonly name: string;
  readonly isJson: boolean;
  /** Printed after wrong usage, without `--json`. */
  readonly usage?: string;
}

export function reportError(
  error: unknown,
  { name, isJson, usage }: ErrorReport,
  io: Pick<CommandIo, 'stderr' | 'env'>,
): ExitCode {
  const { code, message, exitCode, details } = describe(error);
  const isExpected = code === 'USAGE' || error instanceof CommandError;
  const isTraced = !isExpected && isSet(io.env.TAPELOOM_DEBUG) && error instanceof Error;
  const trace = isTraced ? `${withoutSecrets(stackOf(error))}\n` : '';
  const said = withoutSecrets(message);
  if (isJson) {
    io.stderr(
      `${trace}${JSON.stringify({ error: { code, message: said, exitCode, ...details } })}\n`,
    );
  } else {
    const help = usage === undefined || code !== 'USAGE' ? '' : `\n${usage}`;
    io.stderr(`${name}: ${said}\n${help}${trace}`);
  }
  return exitCode;
}

interface Described {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
  readonly details?: object;
}

function describe(error: unknown): Described {
  if (error instanceof UsageError) {
    return { code: 'USAGE', message: error.message, exitCode: ExitCode.usage };
  }
  if (error instanceof CommandError) {
    return { code: error.code, message: error.message, exitCode: error.exitCode };
  }
  const failure = failureOf(error);
  if (failure === null) {
    return { code: 'FAILED', message: oneLine(error), exitCode: ExitCode.failure };
  }
  const { sentence: message, exitCode } = failure;
  if (error instanceof NotSignedInError) return { code: 'NOT_SIGNED_IN', message, exitCode };
  const told = error as TapeloomError;
  return { code: told.code, message, exitCode, details: detailsOf(told) };
}

/** The service's further fields, beside the sentence. */
function detailsOf(error: TapeloomError): object {
  const { status, requestId, errors, retryAfterSeconds } = error;
  const { computeUnits, remainingComputeUnits, missingDays, missingDaysTotal } = error;
  return {
    ...(status === null ? {} : { status }),
    ...(requestId === null ? {} : { requestId }),
    ...(errors.length === 0 ? {} : { errors }),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(computeUnits === null ? {} : { computeUnits }),
    ...(remainingComputeUnits === null ? {} : { remainingComputeUnits }),
    ...(missingDaysTotal === null ? {} : { missingDays, missingDaysTotal }),
  };
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0]!;
}

/** Some errors quote the value they rejected. */
function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET_TEXT, 'svc_$1_…');
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by ${stackOf(error.cause)}` : own;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
