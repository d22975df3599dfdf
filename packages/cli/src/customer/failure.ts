/** Turns an error of the service into one sentence with advice, and an exit code for scripts. */

import { TapeloomError } from '@tapeloom/client';
import { waitText } from '@tapeloom/core/person/wait-text';
import { ExitCode, exitCodeOf } from '../exit-codes.ts';

export interface Failure {
  readonly sentence: string;
  readonly exitCode: ExitCode;
}

/** Faulty fields that are named; the rest are counted. */
const FIELDS_TOLD_MAX = 5;

/** A command needs a key, and none is known. */
export class NotSignedInError extends Error {}

/** Null: the error did not come from the service. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof NotSignedInError) {
    return { sentence: error.message, exitCode: ExitCode.refused };
  }
  if (!(error instanceof TapeloomError)) return null;
  return { sentence: sentenceOf(error), exitCode: exitCodeOf(error.code) };
}

function sentenceOf(error: TapeloomError): string {
  const request = error.requestId === null ? '' : `, request ${error.requestId}`;
  return `${toldBy(error, HINTS)} (${error.code}${request})`;
}

/** The service's message, and advice by error code. */
export function toldBy(error: TapeloomError, hints: Readonly<Record<string, string>>): string {
  const said = error.message.split('\n')[0]!.trim();
  const hint = hints[error.code];
  return [
    /[.?!]$/.test(said) ? said : `${said}.`,
    ...fieldSentences(error),
    ...limitSentences(error),
    ...(hint === undefined ? [] : [hint]),
  ].join(' ');
}

/** The faulty fields that the message itself does not name. */
function fieldSentences({ errors, message: said }: TapeloomError): readonly string[] {
  if (errors.length === 1 && said.includes(errors[0]!.message)) return [];
  const told = errors.slice(0, FIELDS_TOLD_MAX).map(({ path, message }) => `${path}: ${message}`);
  if (told.length === 0) return [];
  const more = errors.length - told.length;
  return [`${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`];
}

function limitSentences(error: TapeloomError): readonly string[] {
  const { computeUnits, remainingComputeUnits, retryAfterSeconds } = error;
  const sentences: string[] = [];
  if (computeUnits !== null && remainingComputeUnits !== null) {
    const [cost, left] = [computeUnits, remainingComputeUnits].map((it) => it.toLocaleString('en'));
    sentences.push(
      `The request costs ${cost} compute units, but only ${left} are left this month.`,
    );
  }
  if (retryAfterSeconds !== null) sentences.push(`Try again in ${waitText(retryAfterSeconds)}.`);
  return sentences;
}

const HINTS: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Sign in with tapeloom login, or set TAPELOOM_KEY to a valid key.',
  KEY_REVOKED: 'Sign in with another key: tapeloom login.',
  FORBIDDEN: 'tapeloom usage shows the plan, tapeloom keys list what each key may do.',
  ENTITLEMENTS_CHANGED: 'tapeloom usage shows the current plan.',
  UNKNOWN_INSTRUMENT: 'tapeloom instruments lists them.',
  UNKNOWN_INDICATOR: 'tapeloom indicators lists them.',
  QUOTA_EXCEEDED: 'tapeloom usage shows what is left.',
  TOO_MANY_CONNECTIONS: 'Close another connection first. A lost connection counts for up to 90 s.',
  INVALID_RESPONSE: 'Is the address right (--url)?',
  NETWORK: 'Is the service running, and is the address right (--url)?',
};
