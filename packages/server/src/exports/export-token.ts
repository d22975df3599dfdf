/**
 * Tokens that resume an export. A token holds its queries, the time of issue, and the names of the computations and the
 * table writer: if one has changed since, the token is outdated. An HMAC binds it to the account, so a client cannot
 * use another account's token or make one for an unpaid export. No token is stored: with the same secret it stays valid
 * after a restart.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { computationNamed } from '@tapeloom/core/studies/catalogue';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import type { ExportFormat, TableFormat } from '../history/history-fields.ts';
import {
  type HistoryQuery,
  historyQueryText,
  parseHistoryQueryText,
} from '../history/history-query.ts';
import { TABLE_VERSIONS } from './table-versions.ts';

export const TOKEN_VALID_NS = DAY_NS_BIG;
const TOKEN_LENGTH_MAX = 8_192;
const TOKEN = /^([\w-]+)\.([\w-]{43})$/;
/** A `HistoryQuery` has the `limit` of a page, which an export ignores. */
const NO_LIMIT = 1;

export interface ExportTokensOptions {
  /** A fixed secret, or the present ones. */
  readonly secret: Uint8Array | (() => TokenSecrets);
  /** The name of an indicator's computation, if not this code's: another one gives other lines. */
  readonly computationNamed?: (indicator: string) => string | null;
  /** The writers of tables, if not this code's: others give other bytes. */
  readonly tableVersions?: Readonly<Record<TableFormat, string>>;
}

/** One secret signs while others are still valid, so that the secret can be changed. */
export interface TokenSecrets {
  readonly signing: Uint8Array;
  readonly good: readonly Uint8Array[];
}

/** The content of a token. */
export interface ExportBegun {
  /** One for each study. */
  readonly queries: readonly HistoryQuery[];
  /** As in the header, even if indicators that are not exported have changed since. */
  readonly engineFingerprint: string;
  /** `Coverage.inputs` of each; null in tokens of earlier versions, which do not have it. */
  readonly inputs: string | null;
}

export type TokenReading =
  | ({ readonly t: 'good' } & ExportBegun)
  /** Not one of ours, or of another account. */
  | { readonly t: 'unknown' }
  | { readonly t: 'too-old' }
  /** The computation of an indicator, or the writer of the table, has changed. */
  | { readonly t: 'outdated' };

type OtherStudy = Pick<HistoryQuery, 'indicator' | 'params' | 'depth' | 'computeUnitsPerTrade'>;

interface Payload {
  /** The query of the first study. */
  readonly query: string;
  /** The fields in which the following studies differ. */
  readonly others?: readonly OtherStudy[];
  readonly issuedAt: string;
  /** The engine's fingerprint. */
  readonly fingerprint: string;
  /** The names of the indicators' computations; in tokens without it, the fingerprint of the engine stands for them. */
  readonly computation?: string | null;
  readonly inputs?: string | null;
  /** Null: lines are the same for every writer. */
  readonly writer: string | null;
}

export class ExportTokens {
  readonly #options: ExportTokensOptions;

  constructor(options: ExportTokensOptions) {
    this.#options = options;
  }

  issue(now: EpochNs, accountId: string, begun: ExportBegun): string {
    const { queries, engineFingerprint, inputs } = begun;
    const [query, ...others] = queries;
    const payload: Payload = {
      query: historyQueryText(query!),
      ...(others.length === 0 ? {} : { others: others.map(otherStudy) }),
      issuedAt: String(now),
      fingerprint: engineFingerprint,
      computation: this.#computationOf(queries),
      inputs,
      writer: this.#writerOf(query!.format),
    };
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${text}.${codeOf(this.#secrets().signing, accountId, text)}`;
  }

  read(now: EpochNs, accountId: string, token: string): TokenReading {
    const [, text, code] = (token.length <= TOKEN_LENGTH_MAX && TOKEN.exec(token)) || [];
    if (text === undefined || code === undefined) return { t: 'unknown' };
    // Compared as texts: several texts can decode to the same bytes.
    const isOurs = this.#secrets().good.some((secret) => {
      return timingSafeEqual(Buffer.from(code), Buffer.from(codeOf(secret, accountId, text)));
    });
    if (!isOurs) return { t: 'unknown' };
    // The rest was written by this service.
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload;
    if (now - BigInt(payload.issuedAt) > TOKEN_VALID_NS) return { t: 'too-old' };
    const query = parseHistoryQueryText(payload.query, NO_LIMIT);
    const queries = [query, ...(payload.others ?? []).map((other) => ({ ...query, ...other }))];
    const isSame =
      (payload.computation ?? payload.fingerprint) === this.#computationOf(queries) &&
      payload.writer === this.#writerOf(query.format);
    if (!isSame) return { t: 'outdated' };
    return {
      t: 'good',
      queries,
      engineFingerprint: payload.fingerprint,
      inputs: payload.inputs ?? null,
    };
  }

  /** Null when one of the indicators is gone. */
  #computationOf(queries: readonly HistoryQuery[]): string | null {
    const named = this.#options.computationNamed ?? computationNamed;
    const names = queries.map(({ indicator }) => named(indicator));
    return names.includes(null) ? null : names.join(' ');
  }

  #writerOf(format: ExportFormat): string | null {
    const { tableVersions = TABLE_VERSIONS } = this.#options;
    return format === 'ndjson' ? null : tableVersions[format];
  }

  #secrets(): TokenSecrets {
    const { secret } = this.#options;
    return typeof secret === 'function' ? secret() : { signing: secret, good: [secret] };
  }
}

function codeOf(secret: Uint8Array, accountId: string, text: string): string {
  return createHmac('sha256', secret).update(`export ${accountId} ${text}`).digest('base64url');
}

function otherStudy({ indicator, params, depth, computeUnitsPerTrade }: HistoryQuery): OtherStudy {
  return { indicator, params, depth, computeUnitsPerTrade };
}
