/**
 * The command `tapeloom-types` writes the types of every indicator, from the catalogue of a running service, to its
 * standard output, and nothing else. A project that includes this file gets these types in place of the client's own.
 */

import { parseArgs } from 'node:util';
import { indicatorTypesText, type TypedCatalogue } from '@tapeloom/protocol/indicator-types';
import { RestClient } from '../rest.ts';
import { TapeloomError } from '../tapeloom-error.ts';

const HELP = `Writes the TypeScript types of a service's indicators.

  tapeloom-types [--url <address>] > indicators.ts

  --url    the address of the service; http://127.0.0.1:8080 if it is left out
  --help   this text

The file changes what @tapeloom/client knows wherever it is among the sources of a project. Give the client
the option "catalogue: CATALOGUE_FINGERPRINT" of this file too: it then warns when the service has changed.
`;

/** Registers the types of the file with the client. */
export const REGISTRATION = `
import type {} from '@tapeloom/client';

declare module '@tapeloom/client' {
  interface OwnTypes {
    readonly indicators: IndicatorTypes;
  }
}
`;

export interface TypesCommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly fetch?: typeof fetch;
}

/** Returns the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function typesCommand(words: readonly string[], io: TypesCommandIo): Promise<number> {
  const asked = read(words);
  if (typeof asked === 'string') {
    io.stderr(`tapeloom-types: ${asked}\n\n${HELP}`);
    return 2;
  }
  if (asked.help === true) {
    io.stdout(HELP);
    return 0;
  }
  try {
    const { fetch } = io;
    const { url } = asked;
    const client = new RestClient({ ...(url && { url }), ...(fetch && { fetch }) });
    const catalogue = typedCatalogue(await client.indicators());
    io.stdout(`${indicatorTypesText(catalogue, 'tapeloom-types')}${REGISTRATION}`);
    return 0;
  } catch (error) {
    if (!(error instanceof TapeloomError || error instanceof TypeError)) throw error;
    io.stderr(`tapeloom-types: ${error.message}\n`);
    return 1;
  }
}

function read(
  words: readonly string[],
): { readonly url?: string; readonly help?: boolean } | string {
  try {
    const options = { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The catalogue as the types need it. An invalid response is rejected with the name of the wrong field. */
function typedCatalogue(value: unknown): TypedCatalogue {
  const { version, engineFingerprint, indicators } = recordAt(value, 'the catalogue');
  return {
    version: textAt(version, 'version'),
    engineFingerprint: textAt(engineFingerprint, 'engineFingerprint'),
    indicators: listAt(indicators, 'indicators').map((indicator, index) => {
      const place = `indicators/${index}`;
      const { id, name, parameters, data } = recordAt(indicator, place);
      return {
        id: textAt(id, `${place}/id`),
        name: textAt(name, `${place}/name`),
        data: recordAt(data, `${place}/data`),
        parameters: listAt(parameters, `${place}/parameters`).map((it, at) =>
          parameterOf(recordAt(it, `${place}/parameters/${at}`), `${place}/parameters/${at}`),
        ),
      };
    }),
  };
}

function parameterOf(
  parameter: Readonly<Record<string, unknown>>,
  place: string,
): TypedCatalogue['indicators'][number]['parameters'][number] {
  const { name, type, description, unit, values } = parameter;
  return {
    name: textAt(name, `${place}/name`),
    type: textAt(type, `${place}/type`),
    description: textAt(description, `${place}/description`),
    ...(unit === undefined ? {} : { unit: textAt(unit, `${place}/unit`) }),
    ...(values === undefined
      ? {}
      : { values: listAt(values, `${place}/values`).map((it) => textAt(it, `${place}/values`)) }),
  };
}

function textAt(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`the service's catalogue cannot be read: ${place} is no text`);
}

function listAt(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`the service's catalogue cannot be read: ${place} is no list`);
}

function recordAt(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new TypeError(`the service's catalogue cannot be read: ${place} is no object`);
}
