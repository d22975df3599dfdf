/**
 * Answers that are the same for all who may see the same, made once while nothing they are made of has changed. What
 * changes is counted by who keeps it (`revision`); what only time changes has an end that its maker knows.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { EncodedJson } from '../route.ts';

export interface MadeAnswer {
  readonly text: string;
  /** The first instant at which it may be another though nothing has changed; null: never. */
  readonly until: EpochNs | null;
}

interface Kept {
  readonly revision: number;
  readonly until: EpochNs | null;
  readonly json: EncodedJson;
}

/** More kinds are not kept: the one that was made longest ago goes. */
const KINDS_MAX = 256;

export class KeptAnswers {
  /** The last of each kind of question. */
  readonly #kept = new Map<string, Kept>();

  answer(kind: string, revision: number, now: EpochNs, make: () => MadeAnswer): EncodedJson {
    const kept = this.#kept.get(kind);
    if (kept?.revision === revision && (kept.until === null || now < kept.until)) return kept.json;
    const { text, until } = make();
    const json = new EncodedJson(text);
    this.#kept.delete(kind);
    if (this.#kept.size >= KINDS_MAX) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(kind, { revision, until, json });
    return json;
  }
}
