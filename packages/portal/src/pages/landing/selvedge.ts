/**
 * The selvedge: one day's delta as threads, one a minute, up for buyers and down for sellers. It is drawn from what was
 * traded, as SVG, and stands in the page before any script.
 */

/** Delta and volume of a minute. */
export type Minute = readonly [delta: number, volume: number];

const HEIGHT = 22;
const PITCH = 3;
const THREAD = 2;
/** So much of the height has a minute in which both sides were equal. */
const LEAST = 0.3;
/** A share of the volume at which a thread is as long as it can be. */
const SHARE_MAX = 0.5;
const TONES = 4;

export function selvedgeSvg(minutes: readonly Minute[]): string {
  const paths = new Map<string, string>();
  for (const [index, [delta, volume]] of minutes.entries()) {
    const share = volume === 0 ? 0 : Math.min(1, Math.abs(delta) / volume / SHARE_MAX);
    const height = Math.round((LEAST + (1 - LEAST) * share) * HEIGHT);
    const tone = Math.ceil(share * TONES) || 1;
    const key = `${delta >= 0 ? 'ask' : 'bid'} ${tone}`;
    const top = delta >= 0 ? HEIGHT - height : 0;
    const thread = `M${index * PITCH} ${top}h${THREAD}v${height}h-${THREAD}z`;
    paths.set(key, `${paths.get(key) ?? ''}${thread}`);
  }
  const body = [...paths].map(([key, d]) => {
    const [dye, tone] = key.split(' ');
    return `<path fill="var(--${dye})" fill-opacity="${Number(tone) / TONES}" d="${d}"/>`;
  });
  const width = minutes.length * PITCH - (PITCH - THREAD);
  return `<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${body.join('')}</svg>`;
}
