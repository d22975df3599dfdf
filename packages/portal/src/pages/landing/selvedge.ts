/** The selvedge: a recorded day's delta as one thread per minute, up for buyers and down for sellers, as SVG. */

export type Minute = readonly [delta: number, volume: number];

const HEIGHT = 22;
const PITCH = 3;
const THREAD = 2;
/** The height of a thread with equal sides, as a share. */
const LEAST = 0.3;
/** The share of delta in the volume at which a thread has its full length. */
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
