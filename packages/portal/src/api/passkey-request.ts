/**
 * Acts that need a passkey's confirmation. Each is first tried without one. If the service requires one, the shell's
 * dialog obtains a signature and the act is repeated with it.
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

/** Registers the dialog, of which the shell has one. Returns a function that unregisters it. */
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
