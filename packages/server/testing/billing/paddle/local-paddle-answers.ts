/** The local Paddle's responses, with envelopes, errors, and paged lists. */

import { LocalRefusal } from './local-paddle-ledger.ts';

export interface LocalResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

export interface Answer {
  readonly data: unknown;
  readonly pagination?: object;
}

export function refusal({ status, code, message, field }: LocalRefusal): LocalResponse {
  const error = {
    type: status < 500 ? 'request_error' : 'api_error',
    code,
    detail: message,
    documentation_url: `https://developer.paddle.com/errors/shared/${code}`,
    ...(field === null ? {} : { errors: [{ field, message: 'is required' }] }),
  };
  const meta = { request_id: crypto.randomUUID() };
  return json(status, { error, meta }, status === 429 ? { 'retry-after': '20' } : {});
}

export function json(
  status: number,
  body: object,
  headers: Record<string, string> = {},
): LocalResponse {
  const type = { 'content-type': 'application/json', ...headers };
  return { status, headers: type, text: JSON.stringify(body) };
}

export function known<Kept>(kept: ReadonlyMap<string, Kept>, id: string): Kept {
  const one = kept.get(id);
  if (one === undefined) throw new LocalRefusal(404, 'not_found', `Entity ${id} not found`);
  return one;
}

const NO_FILTERS = ['after', 'order_by', 'per_page', 'include', 'event_type'];

/** Filters by fields, sorts by one, and returns a page. */
export function listed<Item extends { id: string }>(
  all: Item[],
  query: URLSearchParams,
  url: URL,
  max: number,
): Answer {
  const filters = [...query].filter(([name]) => !NO_FILTERS.includes(name));
  const types = query.get('event_type')?.split(',');
  const kept = all.filter((item) => {
    const members = item as Record<string, unknown>;
    const isType = types === undefined || types.includes(String(members.event_type));
    return (
      isType && filters.every(([name, value]) => value.split(',').includes(String(members[name])))
    );
  });
  const [, member = 'id', way = 'ASC'] =
    /^(\w+)\[(ASC|DESC)\]$/.exec(query.get('order_by') ?? '') ?? [];
  const value = (item: Item) => `${(item as Record<string, unknown>)[member]} ${item.id}`;
  kept.sort((a, b) => (way === 'ASC' ? 1 : -1) * (value(a) < value(b) ? -1 : 1));
  const perPage = Math.min(Number(query.get('per_page') ?? 50), max);
  const after = query.get('after');
  const start = after === null ? 0 : kept.findIndex(({ id }) => id === after) + 1;
  const data = kept.slice(start, start + perPage);
  const next = new URL(url);
  next.searchParams.set('after', data.at(-1)?.id ?? after ?? '');
  const hasMore = start + perPage < kept.length;
  const estimate = { has_more: hasMore, estimated_total: kept.length };
  return { data, pagination: { per_page: perPage, next: next.href, ...estimate } };
}

export function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, it]) => [`${name}_v2`, renamed(it)]);
  return Object.fromEntries(entries);
}

export function pagesOf({ pagination }: Answer): object {
  return pagination === undefined ? {} : { pagination };
}
