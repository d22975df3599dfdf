/** What is printed when the service is ready: where it is, the key, and two lines to try at once. */

import { type Config, DEFAULT_DEV_KEY } from './config/config.ts';
import type { ServiceAddresses } from './service.ts';

/** Where `npm run stream` looks by itself. */
const DEFAULT_STREAM = 'ws://127.0.0.1:8080/v1';

export function startReport(
  version: string,
  config: Config,
  addresses: ServiceAddresses,
  seconds: number,
): readonly string[] {
  const isDefault = config.devKey === DEFAULT_DEV_KEY;
  // A key that somebody chose is a secret, and a terminal is not the place for it.
  const shownKey = isDefault ? config.devKey : '$TAPELOOM_DEV_KEY';
  const url = addresses.stream === DEFAULT_STREAM ? '' : ` --url ${addresses.stream}`;
  return [
    `Tapeloom ${version} is ready after ${seconds.toFixed(1)} s`,
    '',
    `  REST      ${addresses.rest}/v1/`,
    `  stream    ${addresses.stream}`,
    `  metrics   ${addresses.internal}/metrics`,
    `  key       ${isDefault ? `${config.devKey} (development only)` : 'the one in TAPELOOM_DEV_KEY'}`,
    '',
    'Try in a second terminal:',
    '',
    `  curl -H "Authorization: Bearer ${shownKey}" ${addresses.rest}/v1/instruments`,
    `  npm run stream -- BTC.c.0 footprint${url}`,
    '',
  ];
}
