/**
 * Acts that the service wants confirmed by a passkey. Each is first tried without: an account that has none is not asked.
 * Then whoever listens, the shell's dialog, gets what a passkey signed, and the act is done with it.
 */

import { PortalError } from './portal-error.ts';
import type { PasskeyAct, PasskeyAssertion } from './portal-shapes.ts';

export interface PasskeyRequest {
  readonly act: PasskeyAct;
  readonly onSigned: (assertion: PasskeyAssertion) => void;
  readonly onRefused: (error: PortalError) => void;
}

type Listener = (request: PasskeyRequest) => void;
let listener: Listener | null = null;

/** The dialog that asks; the shell has it once. Returns how to stop. */
export function onPasskeyRequest(heard: Listener): () => void {
  listener = heard;
  return () => {
    if (listener === heard) listener = null;
  };
}

export async function withPasskey<Answer>(
  act: PasskeyAct,
  run: (options: { readonly passkey?: PasskeyAssertion }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run({});
  } catch (error) {
    if (!(error instanceof PortalError) || !error.needsPasskey || listener === null) throw error;
  }
  const ask = listener;
  const passkey = await new Promise<PasskeyAssertion>((onSigned, onRefused) =>
    ask({ act, onSigned, onRefused }),
  );
  return await run({ passkey });
}
