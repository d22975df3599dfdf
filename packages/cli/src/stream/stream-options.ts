/** The arguments of `tapeloom stream`, checked before anything is connected. */

import { parseArgs } from 'node:util';
import { KEY_TEXT } from '@tapeloom/protocol/key-text';
import { type CommandIo, UsageError } from '../command.ts';

export interface StreamOptions {
  readonly instrument: string;
  readonly indicator: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly mode: 'live' | 'confirmed';
  readonly url: string;
  readonly key: string;
  readonly json: boolean;
}

export function readStreamOptions(args: readonly string[], env: CommandIo['env']): StreamOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      params: { type: 'string', default: '{}' },
      mode: { type: 'string', default: 'live' },
      url: { type: 'string', default: `ws://127.0.0.1:${env.TAPELOOM_PORT ?? 8080}/v1` },
      key: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const [instrument, indicator, ...others] = positionals;
  if (instrument === undefined || indicator === undefined || others.length > 0) {
    throw new UsageError('give one instrument and one indicator');
  }
  if (values.mode !== 'live' && values.mode !== 'confirmed') {
    throw new UsageError(`--mode is live or confirmed, not ${values.mode}`);
  }
  const url = readUrl(values.url);
  return {
    instrument,
    indicator,
    params: readParams(values.params),
    mode: values.mode,
    url: url.href,
    key: readKey(values.key ?? env.TAPELOOM_KEY),
    json: values.json,
  };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'ws:' && url.protocol !== 'wss:')) {
    throw new UsageError(`--url is an address such as ws://127.0.0.1:8080/v1, not ${text}`);
  }
  return url;
}

function readParams(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`--params is a JSON object such as '{"size":30}', not ${text}`);
  }
  return value as Readonly<Record<string, unknown>>;
}

/** A header cannot carry everything, and what is no key would only be refused over there. */
function readKey(text: string | undefined): string {
  if (text === undefined || text === '') {
    throw new UsageError(
      'a key is needed: set TAPELOOM_KEY or give --key; the first npm start printed one, and ' +
        'tapeloom key create makes another',
    );
  }
  if (!KEY_TEXT.test(text)) {
    throw new UsageError('the key must begin with svc_live_ or svc_test_, as it was printed');
  }
  return text;
}
