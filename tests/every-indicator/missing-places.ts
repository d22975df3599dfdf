/**
 * The gate "an indicator has everything": every place that needs an entry for an indicator, with
 * its file and the way to add the entry. Enter new places here; else an author finds them only by a
 * failing run of all tests.
 */

import { vectorsPath } from '../../packages/core/testing/twins/vector-case.ts';

export interface Named {
  readonly id: string;
  readonly version: number;
}

/** What the gate checks. */
export interface House {
  /** The ids of each list, by the file that holds it. */
  readonly lists: Readonly<Record<ListPath, readonly string[]>>;
  /** The text of a file by its path from the root; null when it is missing. */
  readonly read: (path: string) => string | null;
}

type ListPath = keyof typeof LISTS;

interface FilePlace {
  readonly what: string;
  readonly path: string;
  readonly how: string;
  readonly has: (text: string) => boolean;
}

/** Entries written by hand, by file. */
const LISTS = {
  'packages/core/testing/twins/indicator-twins.ts': 'a naive twin',
  'packages/docs/src/indicator-texts.ts': 'texts for its page',
  'packages/portal/src/pages/landing/indicator-cards.ts': 'a card for the landing page',
  'packages/portal/recording/recorded-indicators.ts': 'a minute for its page to play',
} as const;

/** One line for each missing entry, and for each entry that belongs to no indicator. */
export function missingPlaces(indicators: readonly Named[], house: House): readonly string[] {
  const known = new Set(indicators.map(({ id }) => id));
  const left = listPaths().flatMap((path) =>
    house.lists[path]
      .filter((id) => !known.has(id))
      .map((id) => `${id}: ${path} has an entry, and the catalogue has no such indicator`),
  );
  return [...indicators.flatMap((it) => missingOf(it, house)), ...left];
}

function missingOf(it: Named, { lists, read }: House): string[] {
  const entries = listPaths()
    .filter((path) => !lists[path].includes(it.id))
    .map((path) => lineOf(it, LISTS[path], path, 'write an entry'));
  const files = filePlaces(it)
    .filter(({ path, has }) => {
      const text = read(path);
      return text === null || !has(text);
    })
    .map(({ what, path, how }) => lineOf(it, what, path, how));
  return [...entries, ...files];
}

function lineOf({ id }: Named, what: string, path: string, how: string): string {
  return `${id}: ${what} is missing in ${path}: ${how}`;
}

function listPaths(): readonly ListPath[] {
  return Object.keys(LISTS) as ListPath[];
}

/** Generated files, each with its command, in the order in which the commands run. */
function filePlaces({ id, version }: Named): readonly FilePlace[] {
  const isThere = () => true;
  const run = (command: string) => `run ${command}`;
  const page = run('npm run docs');
  const chart = { what: 'its chart', how: run('npm run charts'), has: isThere };
  const facts = run('npm run interface');
  return [
    {
      what: 'its golden vectors',
      path: vectorsPath(id, version),
      how: run(`npm run vectors -- ${id}`),
      has: isThere,
    },
    {
      what: `its definition, version ${version},`,
      path: 'contract/catalogue.json',
      how: facts,
      has: (text) => {
        const { indicators } = JSON.parse(text) as { readonly indicators: readonly Named[] };
        return indicators.some((it) => it.id === id && it.version === version);
      },
    },
    {
      what: `digests of what its version ${version} gives`,
      path: 'contract/study-digests.json',
      how: facts,
      has: (text) => {
        const { indicators } = JSON.parse(text) as { indicators: Record<string, Named> };
        return indicators[id]?.version === version;
      },
    },
    {
      what: 'its types',
      path: 'packages/protocol/src/indicators.ts',
      how: facts,
      has: (text) => new RegExp(`^ {2}readonly '?${id}'?: TypesOf<`, 'm').test(text),
    },
    { ...chart, path: `docs/charts/${id}.svg` },
    { ...chart, path: `docs/charts/${id}-small.svg` },
    { what: 'its page', path: `docs/indicators/${id}.md`, how: page, has: isThere },
    {
      what: 'the link to its page',
      path: 'docs/indicators/README.md',
      how: page,
      has: (text) => text.includes(`](${id}.md)`),
    },
    {
      what: 'its section',
      path: 'docs/semantics.md',
      how: page,
      has: (text) => text.includes(`<!-- begin ${id} -->`),
    },
    {
      what: 'its recorded minute',
      path: `packages/portal/recording/indicators/${id}.gz`,
      how: run('npm run recordings'),
      has: isThere,
    },
    {
      what: 'its results of the golden day',
      path: 'tests/golden-day/digests.json',
      how: run('node tests/golden-day/write.ts --new'),
      has: (text) =>
        Object.values(JSON.parse(text) as Record<string, object>).every(
          (scale) => `${id}: pages` in scale,
        ),
    },
  ];
}
