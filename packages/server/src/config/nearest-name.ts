/** Finds the names that a person most likely meant. */

const EDITS_MAX = 3;
/** A shorter text is the beginning of too many names. */
const BEGINNING_CHARACTERS_MIN = 2;
const SUGGESTED_MAX = 3;
/** A longer text is not a mistyped name. */
const WRITTEN_CHARACTERS_MAX = 64;

/** The known name with the fewest edits, or else the longest to which `name` only adds words; null if none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestEdits = EDITS_MAX + 1;
  for (const candidate of known) {
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits >= bestEdits) continue;
    best = candidate;
    bestEdits = edits;
  }
  return best ?? longestWithin(name, known);
}

/** For example `data` for `data_dir`. */
function longestWithin(name: string, known: readonly string[]): string | null {
  const within = known.filter((candidate) => name.startsWith(`${candidate}_`));
  return within.sort((a, b) => b.length - a.length)[0] ?? null;
}

/**
 * A sentence that suggests near names, with a space before it; empty if there are none. A near name differs in up to a
 * third of the characters, or begins with the text. Of equally near names the first known ones are taken.
 */
export function didYouMean(name: string, known: readonly string[]): string {
  if (name.length > WRITTEN_CHARACTERS_MAX) return '';
  const written = name.toLowerCase();
  const editsMax = Math.min(EDITS_MAX, Math.max(1, Math.floor(name.length / 3)));
  const near = [...new Set(known)]
    .map((candidate) => ({ candidate, edits: editsTo(written, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= editsMax)
    .sort((a, b) => a.edits - b.edits)
    .filter(({ edits }, _, [nearest]) => edits <= nearest!.edits + 1)
    .slice(0, SUGGESTED_MAX)
    .map(({ candidate }) => `"${candidate}"`);
  if (near.length === 0) return '';
  const last = near.pop()!;
  return ` Did you mean ${near.length === 0 ? last : `${near.join(', ')} or ${last}`}?`;
}

function editsTo(written: string, candidate: string): number {
  const isBeginning = written.length >= BEGINNING_CHARACTERS_MIN && candidate.startsWith(written);
  return isBeginning && candidate !== written ? 1 : editDistance(written, candidate);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
