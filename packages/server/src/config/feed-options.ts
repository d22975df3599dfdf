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
}

type FeedText = Exclude<keyof FeedRequest, 'venue' | 'symbols'>;

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
};

export function feedRequest(
  venue: string,
  symbols: readonly string[],
  options: Partial<Pick<FeedRequest, FeedText>> = {},
): FeedRequest {
  return {
    venue,
    symbols,
    dataset: options.dataset ?? null,
    streamAddress: options.streamAddress ?? null,
    restAddress: options.restAddress ?? null,
    keyFile: options.keyFile ?? null,
    venueDataset: options.venueDataset ?? null,
  };
}

/** Collects the feeds of a command line, word by word. */
export class FeedWords {
  readonly #feeds: {
    venue: string;
    symbols: string[];
    options: Partial<Record<FeedText, string>>;
  }[] = [];

  /** Whether words without dashes are symbols. */
  get isOpen(): boolean {
    return this.#feeds.length > 0;
  }

  feed(venue: string): void {
    this.#feeds.push({ venue, symbols: [], options: {} });
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
    return null;
  }

  get faults(): readonly string[] {
    return this.#feeds
      .filter(({ symbols }) => symbols.length === 0)
      .map(({ venue }) => `${FEED_OPTION} ${venue} needs a symbol, as the venue writes it.`);
  }

  get requests(): readonly FeedRequest[] {
    return this.#feeds.map(({ venue, symbols, options }) =>
      feedRequest(venue, [...new Set(symbols)], options),
    );
  }
}
