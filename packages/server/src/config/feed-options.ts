/** `--feed <venue> <symbols…>` of the command line: the options after it, and further symbols, belong to that feed. */

/** What an operator wants from a venue. Null: as the venue or the file of instruments has it. */
export interface FeedRequest {
  readonly venue: string;
  readonly symbols: readonly string[];
  /** The dataset in the file of instruments; null: the venue's name. */
  readonly dataset: string | null;
  readonly streamAddress: string | null;
  readonly restAddress: string | null;
  readonly keyFile: string | null;
  readonly venueDataset: string | null;
  /** How much of the past a new dataset gets. */
  readonly backfillHours: number | null;
}

type FeedText = Exclude<keyof FeedRequest, 'venue' | 'symbols' | 'backfillHours'> | 'backfill';

const BACKFILL = /^([1-9]\d{0,3})([hd])$/;
const DAY_HOURS = 24;
const BACKFILL_HOURS_MAX = 90 * DAY_HOURS;

export const FEED_OPTION = '--feed';

/** With the meaning of each, for help texts. */
export const FEED_OPTIONS: Readonly<
  Record<string, { readonly field: FeedText; readonly value: string; readonly meaning: string }>
> = {
  '--dataset': {
    field: 'dataset',
    value: '<name>',
    meaning: "its dataset in the file of instruments (default: the venue's name)",
  },
  '--stream-address': {
    field: 'streamAddress',
    value: '<address>',
    meaning: "the address of the stream, such as wss://host/path, instead of the venue's",
  },
  '--rest-address': {
    field: 'restAddress',
    value: '<address>',
    meaning: "the address of requests, such as https://host, instead of the venue's",
  },
  '--key-file': {
    field: 'keyFile',
    value: '<file>',
    meaning: 'the file with your key, for venues that need one',
  },
  '--venue-dataset': {
    field: 'venueDataset',
    value: '<name>',
    meaning: "the venue's own dataset, where it has several, such as GLBX.MDP3",
  },
  '--backfill': {
    field: 'backfill',
    value: '<time>',
    meaning: 'the past of a new dataset, such as 12h or 1d, up to 90d (default: none)',
  },
};

/** Hours; a text that is none returns what is wrong with it. */
export function readBackfill(text: string): number | string {
  const [, count, unit] = BACKFILL.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? DAY_HOURS : 1);
  if (hours <= BACKFILL_HOURS_MAX) return hours;
  return `--backfill must be a time as 12h or 1d, up to 90d; got ${JSON.stringify(text)}.`;
}

/** As an operator writes it: `12h`, `1d`. */
export function backfillText(hours: number): string {
  return hours % DAY_HOURS === 0 ? `${hours / DAY_HOURS}d` : `${hours}h`;
}

export function feedRequest(
  venue: string,
  symbols: readonly string[],
  options: Partial<Omit<FeedRequest, 'venue' | 'symbols'>> = {},
): FeedRequest {
  return {
    venue,
    symbols,
    dataset: options.dataset ?? null,
    streamAddress: options.streamAddress ?? null,
    restAddress: options.restAddress ?? null,
    keyFile: options.keyFile ?? null,
    venueDataset: options.venueDataset ?? null,
    backfillHours: options.backfillHours ?? null,
  };
}

/** Collects the feeds of a command line, word by word. */
export class FeedWords {
  readonly #feeds: {
    venue: string;
    symbols: string[];
    options: Partial<Record<FeedText, string>>;
    backfillHours: number | null;
  }[] = [];

  /** Whether words without dashes are symbols. */
  get isOpen(): boolean {
    return this.#feeds.length > 0;
  }

  feed(venue: string): void {
    this.#feeds.push({ venue, symbols: [], options: {}, backfillHours: null });
  }

  symbol(symbol: string): void {
    this.#feeds.at(-1)!.symbols.push(symbol);
  }

  /** Returns a fault; null: none. */
  option(name: string, value: string): string | null {
    const feed = this.#feeds.at(-1);
    const { field } = FEED_OPTIONS[name]!;
    if (feed === undefined) return `${name} belongs to a feed; write it after ${FEED_OPTION}.`;
    if (feed.options[field] !== undefined) return `${name} is given twice; give it once.`;
    feed.options[field] = value;
    if (field !== 'backfill') return null;
    const hours = readBackfill(value);
    if (typeof hours === 'string') return hours;
    feed.backfillHours = hours;
    return null;
  }

  get faults(): readonly string[] {
    return this.#feeds
      .filter(({ symbols }) => symbols.length === 0)
      .map(({ venue }) => `${FEED_OPTION} ${venue} needs a symbol, as the venue writes it.`);
  }

  get requests(): readonly FeedRequest[] {
    return this.#feeds.map(({ venue, symbols, options, backfillHours }) =>
      feedRequest(venue, [...new Set(symbols)], { ...options, backfillHours }),
    );
  }
}
