/**
 * Cached answers that are equal for all callers with equal rights, made once while their sources are unchanged. The
 * owner of the sources counts their changes (`revision`). For changes that time alone brings, the maker returns an end.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { EncodedJson } from '../route.ts';

export interface MadeAnswer {
  readonly text: string;
  /** The first instant at which the answer may differ without a new revision; null: never. */
  readonly until: EpochNs | null;
}

interface Kept {
  readonly revision: number;
  readonly until: EpochNs | null;
  readonly json: EncodedJson;
}

/** Beyond this number, the answer that was made longest ago is evicted. */
const KINDS_MAX = 256;

export class KeptAnswers {
  /** The last of each kind. */
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
