/**
 * The command `tapeloom-types`: the types of every indicator, made from the catalogue of a running service and
 * written to its output, where nothing else goes. A project that has the file among its sources gets
 * these types from the client in place of those it came with.
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

/** Where the file meets the client: it puts its types in the place that is kept for them. */
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

/** Gives the exit code: 0 done, 1 it could not be done, 2 it was not understood. */
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

/** What the types are made from; an answer that is no catalogue is refused by the name of what is wrong. */
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
