/**
 * The fields of layouts: what a request may bring, and what a response shows. Of a layout only its form is judged: a
 * JSON object of bounded size and depth with finite numbers. Its meaning is the page's own.
 */

import { keyNameFault } from '@tapeloom/core/entitlement/key-rights';
import type { FieldFault } from '@tapeloom/protocol/problem';
import type { Static } from 'typebox';
import {
  DELETED_KEPT_NS,
  LAYOUT_BYTES_MAX,
  LAYOUT_NAME_CHARACTERS_MAX,
  type LayoutRecord,
} from '../../../accounts/layouts/layouts-store.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { namedObject, Type } from '../../contract/schema.ts';
import { DEPTH_MAX } from '../../server/bodies/json-body.ts';
import { pointerToken } from '../../server/problems/problem-document.ts';

export const LayoutName = Type.String({
  minLength: 1,
  maxLength: LAYOUT_NAME_CHARACTERS_MAX,
  description: 'A name, for people.',
});

export const LayoutBody = Type.Record(Type.String(), Type.Unknown(), {
  description:
    `Any JSON object of at most ${LAYOUT_BYTES_MAX.toLocaleString('en')} bytes in UTF-8, without ` +
    `white space between its parts, and less than ${DEPTH_MAX} levels deep. The service stores it and reads nothing in it.`,
});

export const StateNumber = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

const Bytes = Type.Integer({ minimum: 0, description: 'The size of the layout as JSON in UTF-8.' });

const SUMMARY = {
  id: Type.String(),
  name: LayoutName,
  createdAt: Instant('Creation'),
  updatedAt: Instant('Time at which its newest state was saved, or at which it was renamed'),
  bytes: Bytes,
  state: StateNumber('The number of its newest state. The first one has 1.'),
};

export const LayoutSummary = namedObject('LayoutSummary', SUMMARY);

export const LayoutView = namedObject('Layout', { ...SUMMARY, layout: LayoutBody });

export const DeletedLayout = namedObject('DeletedLayout', {
  ...SUMMARY,
  deletedAt: Instant('Time of the deletion'),
  keptUntil: Instant('Until then the deletion can be undone'),
});

export const LayoutStateView = namedObject('LayoutState', {
  state: StateNumber('Its number.'),
  savedAt: Instant('Time at which it was saved'),
  bytes: Bytes,
});

type Summary = Static<typeof LayoutSummary>;

export function viewLayout(record: LayoutRecord): Summary {
  const { id, name, createdAt, updatedAt, bytes, state } = record;
  return {
    ...{ id, name, bytes, state },
    createdAt: createdAt.toString(),
    updatedAt: updatedAt.toString(),
  };
}

export function viewWhole(
  record: LayoutRecord & { readonly text: string },
): Static<typeof LayoutView> {
  return { ...viewLayout(record), layout: JSON.parse(record.text) as Record<string, unknown> };
}

export function viewDeleted(record: LayoutRecord): Static<typeof DeletedLayout> {
  const deletedAt = record.deletedAt!;
  return {
    ...viewLayout(record),
    deletedAt: deletedAt.toString(),
    keptUntil: (deletedAt + DELETED_KEPT_NS).toString(),
  };
}

interface GivenLayout {
  readonly name?: unknown;
  readonly layout?: unknown;
}

/** What no schema can express of a name and a layout. */
export function layoutFaults(body: unknown): FieldFault[] {
  const { name, layout } = (body ?? {}) as GivenLayout;
  const ofName = typeof name === 'string' ? nameFault(name) : null;
  const isObject = typeof layout === 'object' && layout !== null;
  return [
    ...(ofName === null ? [] : [{ path: '/name', message: ofName }]),
    ...(isObject ? shapeFaults(layout) : []),
  ];
}

function nameFault(name: string): string | null {
  const characters = [...name].length;
  if (characters < 1 || characters > LAYOUT_NAME_CHARACTERS_MAX) {
    return `must have 1 to ${LAYOUT_NAME_CHARACTERS_MAX} characters`;
  }
  return keyNameFault(name);
}

function shapeFaults(layout: object): FieldFault[] {
  const bytes = Buffer.byteLength(JSON.stringify(layout));
  if (bytes > LAYOUT_BYTES_MAX) {
    const message =
      `must have at most ${LAYOUT_BYTES_MAX.toLocaleString('en')} bytes as JSON; ` +
      `it has ${bytes.toLocaleString('en')}`;
    return [{ path: '/layout', message }];
  }
  const path = infinitePath(layout, '/layout');
  return path === null ? [] : [{ path, message: 'must be a finite number' }];
}

/** JSON has numbers that are too large for a double, and would be stored as null. */
function infinitePath(value: unknown, path: string): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = infinitePath(inner, `${path}/${pointerToken(name)}`);
    if (found !== null) return found;
  }
  return null;
}
