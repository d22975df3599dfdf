/** The lines of the option `debug`: one for each step of a connection, none for a trade. */

import { lossText } from './close-verdict.ts';
import type { ConnectionAction, ConnectionChange } from './connection-events.ts';

/** Null: no line. */
export function debugLine(action: ConnectionAction): string | null {
  switch (action.t) {
    case 'changed':
      return changeLine(action.change);
    case 'ask-token':
      return 'asks for a token';
    case 'send':
      // The token is as sensitive as a key.
      return action.text.startsWith('{"t":"auth"') ? 'sent auth' : `sent ${action.text}`;
    case 'drop':
      return `drops the socket: ${action.reason} (${action.code})`;
    case 'tell':
      return updateLine(action);
    case 'end':
      return `${action.sub} ended: ${action.error.code}, ${action.error.message}`;
    default:
      return null;
  }
}

function changeLine({ state, retryInMs, cause }: ConnectionChange): string {
  const when = retryInMs === null ? '' : `, next attempt in ${retryInMs} ms`;
  const why = cause === null ? '' : `: ${lossText(cause) || 'no reason is known'}`;
  return `connection ${state}${when}${why}`;
}

function updateLine({ sub, update }: Extract<ConnectionAction, { t: 'tell' }>): string | null {
  switch (update?.t) {
    case 'snapshot':
      return `${sub} snapshot ${update.cursor}, ${update.objects.length} objects`;
    case 'reset':
      return `${sub} reset: ${update.reason}`;
    case 'status':
      return `${sub} status ${update.state}, ${update.lagMs} ms behind`;
    case 'notice':
      return `${sub} notice: ${update.kind}`;
    default:
      return null;
  }
}
