/**
 * The path of a product's fair price, as returns on its base price. It is fixed at every week's start by midpoint
 * displacement between far nodes, and inside a week by a Brownian bridge over the slices' variances. So any week can be
 * computed alone, the path is continuous and stays around its base, and products share a common risk factor.
 */

import type { SimProfile } from './profile.ts';
import { keyedNormal, mixKey, textKey } from './random.ts';

/** Weeks between the independent far nodes; a power of two. */
const FAR_NODE_WEEKS = 64;
const TRADING_DAYS_PER_WEEK = 5;

const RISK_KEY = textKey('risk');
const NODE_KEY = textKey('node');
const STEP_KEY = textKey('step');

/** Returns at the edges of a week's slices; the last is the next week's first. Unit of variance: a regular day's. */
export function weekPath(
  seed: number,
  profile: SimProfile,
  week: number,
  variances: Float64Array,
): Float64Array {
  const path = new Float64Array(variances.length + 1);
  const steps = mixKey(mixKey(seed, STEP_KEY), week);
  let sum = 0;
  let variance = 0;
  for (let i = 0; i < variances.length; i += 1) {
    if (variances[i]! > 0) sum += sharedNormal(steps, profile, i) * Math.sqrt(variances[i]!);
    path[i + 1] = sum;
  }
  let total = 0;
  for (const v of variances) total += v;
  const from = weekNode(seed, profile, week);
  const to = weekNode(seed, profile, week + 1);
  const drift = to - from - sum;
  for (let i = 0; i <= variances.length; i += 1) {
    const share = total > 0 ? variance / total : i / variances.length;
    path[i] = (from + path[i]! + drift * share) * profile.dailyVolatility;
    variance += variances[i] ?? 0;
  }
  return path;
}

/** The price of a return. Positive for every return: 1 + y + y²/2 has no real root. */
export function priceOfReturn(profile: SimProfile, y: number): number {
  return profile.basePrice * (1 + y + (y * y) / 2);
}

/** The return at the start of a week, in daily volatilities. */
function weekNode(seed: number, profile: SimProfile, week: number): number {
  const key = mixKey(seed, NODE_KEY);
  const place = ((week % FAR_NODE_WEEKS) + FAR_NODE_WEEKS) % FAR_NODE_WEEKS;
  if (place === 0) {
    // Two independent nodes differ by the variance of the weeks between them.
    const spread = Math.sqrt((FAR_NODE_WEEKS * TRADING_DAYS_PER_WEEK) / 2);
    return sharedNormal(key, profile, week) * spread;
  }
  const reach = place & -place;
  const middle =
    (weekNode(seed, profile, week - reach) + weekNode(seed, profile, week + reach)) / 2;
  const displacement = Math.sqrt((reach * TRADING_DAYS_PER_WEEK) / 2);
  return middle + sharedNormal(key, profile, week) * displacement;
}

/** A standard normal draw, correlated between products through their risk loadings. */
function sharedNormal(key: number, profile: SimProfile, index: number): number {
  const { riskLoading, root } = profile;
  const own = Math.sqrt(1 - riskLoading * riskLoading);
  return (
    riskLoading * keyedNormal(mixKey(key, RISK_KEY), index) +
    own * keyedNormal(mixKey(key, textKey(root)), index)
  );
}
