/**
 * DBN definitions, versions 1, 2 and 3, as plain objects: a venue's statement about an instrument, with its time.
 * Fields that a version does not have or a venue left undefined are null; missing texts are empty.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { FeedError } from '../feed-trades.ts';
import { DbnInput, type DbnWindow, wholeRecordBytes } from './dbn-input.ts';
import { DEFINITION_RTYPE, MIXED_SCHEMA, SENT_BYTES, schemaName } from './dbn-kinds.ts';
import type { DbnMetadata } from './dbn-metadata.ts';
import { textAt } from './dbn-text.ts';
import { DEFINITION_BYTES, DEFINITION_FIELDS, type DefinitionField } from './definition-layout.ts';
import {
  type GatewayOptions,
  type GatewayRecord,
  gatewayRecordAt,
  isGatewayRecord,
} from './gateway-records.ts';

type Fields = typeof DEFINITION_FIELDS;
type FieldValue<Kind> = Kind extends 'time'
  ? EpochNs | null
  : Kind extends 'nanos'
    ? bigint | null
    : Kind extends 'id'
      ? bigint
      : Kind extends 'text'
        ? string
        : Kind extends 'char'
          ? string | null
          : number | null;

export type DbnDefinition = {
  readonly [Name in keyof Fields]: FieldValue<Fields[Name]['kind']>;
} & {
  readonly publisherId: number;
  readonly instrumentId: number;
  readonly event: EpochNs | null;
};

const NO_TIME = 0xffff_ffff_ffff_ffffn;
const NO_NANOS = 0x7fff_ffff_ffff_ffffn;
const DEFINITION_SCHEMA = 9;
const FIELDS = Object.entries(DEFINITION_FIELDS) as readonly [keyof Fields, DefinitionField][];

/** Takes a file in pieces of any length, and returns the definitions that are complete so far. */
export class DefinitionDecoder {
  readonly #input: DbnInput;
  readonly #onGatewayRecord: ((record: GatewayRecord) => void) | null;
  #records = 0;

  constructor({ onGatewayRecord, headBytesMax }: GatewayOptions = {}) {
    this.#input = new DbnInput(headBytesMax);
    this.#onGatewayRecord = onGatewayRecord ?? null;
  }

  /** Null until the file's head has arrived. */
  get metadata(): DbnMetadata | null {
    return this.#input.metadata;
  }

  push(piece: Uint8Array): readonly DbnDefinition[] {
    const found: DbnDefinition[] = [];
    this.#input.open(piece);
    for (let window = this.#input.next(); window !== null; window = this.#input.next()) {
      refuseOtherSchemas(this.#input.metadata!);
      while (window.at < window.bytes.length) {
        const bytes = wholeRecordBytes(window, this.#records + 1);
        if (bytes === null) break;
        this.#records += 1;
        const rtype = window.bytes[window.at + 1]!;
        if (rtype === DEFINITION_RTYPE) found.push(definitionAt(window, bytes, this.#records));
        else if (this.#onGatewayRecord !== null && isGatewayRecord(rtype)) {
          this.#onGatewayRecord(gatewayRecordAt(window, bytes, this.#records));
        }
        window.at += bytes;
      }
    }
    return found;
  }

  /** Rejects a truncated file. Use its definitions only after this returns. */
  end(): void {
    this.#input.end(this.#records);
    refuseOtherSchemas(this.#input.metadata!);
  }
}

/** All definitions of a file in memory, in one piece or several. */
export function readDefinitions(...pieces: readonly Uint8Array[]): readonly DbnDefinition[] {
  const decoder = new DefinitionDecoder();
  const found = pieces.flatMap((piece) => decoder.push(piece));
  decoder.end();
  return found;
}

function refuseOtherSchemas({ schema }: DbnMetadata): void {
  if (schema === DEFINITION_SCHEMA || schema === MIXED_SCHEMA) return;
  throw new FeedError(
    `At byte 24 the file says that its schema is ${schemaName(schema)}; ` +
      'definitions are read from files of the schema definition.',
  );
}

/** The length of a record determines its version, also in captures with several versions. */
export function definitionAt(window: DbnWindow, bytes: number, row: number): DbnDefinition {
  const { view, at, position } = window;
  const version = DEFINITION_BYTES.findIndex(
    (usual) => bytes === usual || bytes === usual + SENT_BYTES,
  );
  if (version === -1) {
    throw new FeedError(
      `The definition at byte ${position + at} has ${bytes} bytes; ` +
        `${DEFINITION_BYTES.join(', ')} are those of versions 1, 2 and 3.`,
      row,
    );
  }
  const definition: Record<string, unknown> = {
    publisherId: view.getUint16(at + 2, true),
    instrumentId: view.getUint32(at + 4, true),
    event: unlessLargest(view.getBigUint64(at + 8, true), NO_TIME),
  };
  for (const [name, field] of FIELDS) definition[name] = fieldValue(window, field, version);
  return definition as DbnDefinition;
}

function fieldValue(
  { bytes, view, at, position }: DbnWindow,
  field: DefinitionField,
  version: number,
) {
  const offset = field.at[version];
  if (offset === null || offset === undefined) return field.kind === 'text' ? '' : null;
  const place = at + offset;
  switch (field.kind) {
    case 'time':
      return unlessLargest(view.getBigUint64(place, true), NO_TIME);
    case 'nanos':
      return unlessLargest(view.getBigInt64(place, true), NO_NANOS);
    case 'id':
      return field.bytes[version] === 8
        ? view.getBigUint64(place, true)
        : BigInt(view.getUint32(place, true));
    case 'text':
      return textAt(bytes, place, field.bytes[version]!, position);
    case 'char':
      return textAt(bytes, place, 1, position) || null;
    case 'i8':
      return unlessLargest(view.getInt8(place), 0x7f);
    case 'u8':
      return unlessLargest(view.getUint8(place), 0xff);
    case 'i16':
      return unlessLargest(view.getInt16(place, true), 0x7fff);
    case 'u16':
      return unlessLargest(view.getUint16(place, true), 0xffff);
    case 'i32':
      return unlessLargest(view.getInt32(place, true), 0x7fff_ffff);
    case 'u32':
      return unlessLargest(view.getUint32(place, true), 0xffff_ffff);
    default:
      return field satisfies never;
  }
}

function unlessLargest<Value>(value: Value, largest: Value): Value | null {
  return value === largest ? null : value;
}
