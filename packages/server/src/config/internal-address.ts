/**
 * The address at which other nodes' clients reach the internal port of this node: a node that does not write a dataset
 * names that of the leader. By default it follows from the port that is open here, unless it is open on all addresses.
 */

import { isOrigin } from './public-address.ts';
import { text } from './setting.ts';

/** These hosts mean listening on all addresses; they are no destination. */
const ANY_HOST = /^(?:0\.0\.0\.0|\[::\])$/;

const INTERNAL_URL_ACCEPTS =
  'an http or https address without a path that leads to the internal port of this node, such as http://10.0.0.12:9464; 0.0.0.0 and [::] lead nowhere';

export const internalUrlSetting = text<string | null>(
  { variable: 'TAPELOOM_INTERNAL_URL', fallback: null },
  INTERNAL_URL_ACCEPTS,
  (value) => isOrigin(value) && !ANY_HOST.test(new URL(value).hostname),
);

/** `opened`: the address on which the port is open. Null: others do not know where to reach it. */
export function announcedAddress(configured: string | null, opened: string): string | null {
  if (configured !== null) return configured;
  const url = new URL(opened);
  return ANY_HOST.test(url.hostname) ? null : url.origin;
}
