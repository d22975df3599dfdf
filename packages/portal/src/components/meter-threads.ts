/** The positions of a meter's threads on a width of 600. Any use shows, and only full use is shown as full. */

const WIDTH = 600;
const FEW = 10;
const WARN_SHARE = 0.8;

export interface Thread {
  readonly x: number;
  readonly width: number;
  readonly isLit: boolean;
}

export function threadsOf(
  share: number,
  count: number,
  isWarning: boolean,
): { readonly threads: readonly Thread[]; readonly level: '' | 'warn' | 'danger' } {
  const lit = litOf(share, count);
  const width = count === 1 ? WIDTH : (WIDTH / count) * (count <= FEW ? 0.94 : 0.64);
  const step = count > 1 ? (WIDTH - width) / (count - 1) : 0;
  const threads = Array.from({ length: count }, (_, index) => ({
    x: Number((index * step).toFixed(2)),
    width: Number(width.toFixed(2)),
    isLit: index < lit,
  }));
  return { threads, level: share >= 1 ? 'danger' : share >= WARN_SHARE || isWarning ? 'warn' : '' };
}

function litOf(share: number, count: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return count;
  return Math.min(Math.max(Math.round(share * count), 1), Math.max(count - 1, 1));
}
