/** The numbers of a bar's rows as texts, made once: a finished bar's never change. */

import type { Rows } from '../series/rows.ts';
import { shortText, signedShortText } from './number-text.ts';

type Kind = 'bid' | 'ask' | 'volume' | 'delta';

const kept = new WeakMap<Rows, Partial<Record<Kind, readonly string[]>>>();

export function rowTexts(rows: Rows, kind: Kind): readonly string[] {
  const texts = kept.get(rows) ?? {};
  if (texts[kind] === undefined) {
    texts[kind] = made(rows, kind);
    kept.set(rows, texts);
  }
  return texts[kind];
}

function made(rows: Rows, kind: Kind): readonly string[] {
  const { bid, ask, unknown, count } = rows;
  return Array.from({ length: count }, (_, row) => {
    switch (kind) {
      case 'bid':
        return shortText(bid[row]!);
      case 'ask':
        return shortText(ask[row]!);
      case 'volume':
        return shortText(bid[row]! + ask[row]! + unknown[row]!);
      case 'delta':
        return signedShortText(ask[row]! - bid[row]!);
      default:
        return kind satisfies never;
    }
  });
}
