/**
 * The documentation's search index: built with the site, loaded by the page that searches. Titles weigh most. Words
 * match by prefix or with typos. A result must match all words, or one of them if none matches all.
 */

import MiniSearch, { type Options, type SearchOptions } from 'minisearch';
import type { SearchSection } from './search-sections.ts';

/** What a result shows before its text is loaded. */
export interface SearchHit {
  readonly id: number;
  readonly address: string;
  readonly page: string;
  readonly heading: string;
  /** The section's words that matched. */
  readonly words: readonly string[];
}

const HITS_MAX = 24;
/** Keeps one long page from filling the results. */
const HITS_OF_A_PAGE_MAX = 4;
const QUERY_CHARACTERS_MAX = 100;
/** Words without meaning for the search; dropped, unless there are no others. */
const NOISE = /\b(?:api|the|an?|of|to|how|do|does|can|i|is|what|and|in|for|my)\b/gi;

const OPTIONS: Options<SearchSection> = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['address', 'page', 'heading', 'weight'],
};
const SEARCH: SearchOptions = {
  boost: { heading: 6, page: 3 },
  prefix: (term) => term.length > 1,
  fuzzy: (term) => (term.length > 3 ? 0.2 : false),
  boostDocument: (_id, _term, stored) => Number(stored?.weight ?? 1),
  combineWith: 'AND',
};

export function searchIndex(sections: readonly SearchSection[]): string {
  const index = new MiniSearch(OPTIONS);
  index.addAll(sections);
  return JSON.stringify(index);
}

export class DocsSearch {
  readonly #index: MiniSearch<SearchSection>;

  constructor(json: string) {
    this.#index = MiniSearch.loadJSON(json, OPTIONS);
  }

  find(query: string): readonly SearchHit[] {
    const whole = query.slice(0, QUERY_CHARACTERS_MAX);
    const telling = whole.replace(NOISE, ' ').trim();
    const asked = telling === '' ? whole : telling;
    const strict = this.#index.search(asked, SEARCH);
    const found =
      strict.length > 0 ? strict : this.#index.search(asked, { ...SEARCH, combineWith: 'OR' });
    const ofPage = new Map<string, number>();
    const hits: SearchHit[] = [];
    for (const { id, address, page, heading, terms } of found) {
      const count = ofPage.get(page) ?? 0;
      if (count >= HITS_OF_A_PAGE_MAX) continue;
      ofPage.set(page, count + 1);
      if (hits.push({ id, address, page, heading, words: terms }) === HITS_MAX) break;
    }
    return hits;
  }
}
