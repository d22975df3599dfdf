/** What a chart needs as soon as a hand or a key uses it, and to show drawings: loaded then. */

export { HandCards } from './hand-cards.ts';
export * from './hand-tools.ts';
export { applyKey, removeSelected } from './model-keys.ts';
