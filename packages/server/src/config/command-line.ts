/** The command line of the service: nothing, `--help`, `--speed N` and `--echo-port N`, each once, and feeds. */

import { SPEED_MAX, SPEED_MIN } from '../platform/clock.ts';
import { FEED_OPTION, FEED_OPTIONS, type FeedRequest, FeedWords } from './feed-options.ts';
import { nearestName } from './nearest-name.ts';

const PORT_MAX = 65_535;

export interface CommandLine {
  /** How many times faster the service's clock runs; null: the machine's clock. */
  readonly speed: number | null;
  /** The port of an echo server, for conformance suites; null: none. */
  readonly echoPort: number | null;
  /** Venues whose trades are received; none: those in the file of instruments. */
  readonly feeds: readonly FeedRequest[];
}

interface Option {
  /** For the help text. */
  readonly meaning: string;
  readonly accepts: string;
  readonly form: RegExp;
  readonly least: number;
  readonly most: number;
}

export const OPTIONS: Readonly<Record<string, Option>> = {
  '--speed': {
    meaning: `runs N times faster than real time (${SPEED_MIN} to ${SPEED_MAX}), in a separate data directory`,
    accepts: `a number from ${SPEED_MIN} to ${SPEED_MAX}`,
    form: /^\d{1,5}(?:\.\d{1,3})?$/,
    least: SPEED_MIN,
    most: SPEED_MAX,
  },
  '--echo-port': {
    meaning: 'opens a WebSocket server on this port that echoes every message, for test suites',
    accepts: `a whole number from 0 to ${PORT_MAX}`,
    form: /^(?:0|[1-9]\d{0,4})$/,
    least: 0,
    most: PORT_MAX,
  },
};

export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

/** The options; anything else on the line is a fault. */
export function readCommandLine(args: readonly string[], faults: string[]): CommandLine {
  const words = args.flatMap((word) => {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
  });
  const values = new Map<string, number>();
  const feeds = new FeedWords();
  for (let at = 0; at < words.length; at++) {
    const name = words[at]!;
    if (!name.startsWith('-') && feeds.isOpen) {
      feeds.symbol(name);
      continue;
    }
    if (name === FEED_OPTION || Object.hasOwn(FEED_OPTIONS, name)) {
      at += 1;
      readFeedWord(feeds, name, words[at] ?? '', faults);
      continue;
    }
    if (!Object.hasOwn(OPTIONS, name)) {
      faults.push(unknown(name));
      // Its value is not reported as a second fault.
      if (name.startsWith('-') && words[at + 1]?.startsWith('-') === false) at += 1;
      continue;
    }
    if (values.has(name)) faults.push(`${name} is given twice; give it once.`);
    const { accepts, form, least, most } = OPTIONS[name]!;
    at += 1;
    const text = words[at] ?? '';
    const value = form.test(text) ? Number(text) : Number.NaN;
    values.set(name, value);
    if (value >= least && value <= most) continue;
    faults.push(`${name} must be ${accepts}; got ${JSON.stringify(text)}.`);
  }
  const speed = values.get('--speed') ?? null;
  if (speed !== null && feeds.isOpen) {
    faults.push('--speed cannot be used with --feed: the trades of a venue come in real time.');
  }
  faults.push(...feeds.faults);
  return { speed, echoPort: values.get('--echo-port') ?? null, feeds: feeds.requests };
}

function readFeedWord(feeds: FeedWords, name: string, value: string, faults: string[]): void {
  if (value === '' || value.startsWith('-')) {
    const what = name === FEED_OPTION ? 'the name of a venue' : FEED_OPTIONS[name]!.value;
    faults.push(`${name} needs ${what}.`);
  } else if (name === FEED_OPTION) feeds.feed(value);
  else {
    const fault = feeds.option(name, value);
    if (fault !== null) faults.push(fault);
  }
}

function unknown(name: string): string {
  const names = Object.keys(OPTIONS);
  const near = nearestName(name, [...names, FEED_OPTION, ...Object.keys(FEED_OPTIONS)]);
  const hint =
    near === null
      ? `The options are ${names.join(' N, ')} N and ${FEED_OPTION} <venue> <symbols>.`
      : `Did you mean ${near}?`;
  return `Unknown option ${name}. ${hint} See --help.`;
}
