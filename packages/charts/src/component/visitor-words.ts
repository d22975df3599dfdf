/** What a chart says to the visitors of a customer's page, who have no plan and no account with us. */

import type { FeedNote, HemText } from '../feed/words.ts';
import type { HistoryMode } from './chart-sources.ts';

const BEGINS_HERE = 'The chart begins here.';
const NOT_LOADED = 'Older bars are not loaded here.';
const CANNOT_LOAD = 'Older bars cannot be loaded now.';

export function visitorHem(hem: HemText | null, mode: HistoryMode): HemText | null {
  if (hem === null) return null;
  const actions = hem.actions.filter(({ id }) => id.startsWith('load-'));
  const isAboutPlan = hem.actions.some(({ id }) => id === 'see-plans');
  if (hem.why === 'no-history' || isAboutPlan) return { why: hem.why, text: BEGINS_HERE, actions };
  if (mode === 'ask' || hem.why === 'start') return { ...hem, actions };
  const text = hem.why === 'refused' ? CANNOT_LOAD : NOT_LOADED;
  return { why: hem.why, text, actions: [] };
}

/** Only what a visitor can do remains. */
export function visitorNote(note: FeedNote | null): FeedNote | null {
  if (note === null) return null;
  return { ...note, actions: note.actions.filter(({ id }) => id.startsWith('load-')) };
}
