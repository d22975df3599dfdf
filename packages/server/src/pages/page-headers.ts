/**
 * The headers of every page. The policy allows only our own origin, no inline script or style and no frame, except what
 * a page declares. The stream's origin follows from the public address alone, never from a header of the request.
 */

import type { LetIn } from './page-route.ts';

/** No page uses any of these. */
const SWITCHED_OFF = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
];
const HSTS = 'max-age=31536000';

/** A drawing that is opened by itself has inline styles, and nothing else to load or run. */
const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const NOBODY: LetIn = { sources: {}, payment: [] };

export function pageHeaders(
  publicUrl: string,
  letIn: LetIn = NOBODY,
): Readonly<Record<string, string>> {
  const isAlone = letIn === NOBODY;
  return {
    'content-security-policy': contentPolicy(publicUrl, letIn),
    'x-content-type-options': 'nosniff',
    // Stricter would hide the origin of our own forms' requests. Outside services see our origin, not the path.
    'referrer-policy': isAlone ? 'same-origin' : 'strict-origin-when-cross-origin',
    'permissions-policy': SWITCHED_OFF.map((name) => `${name}=(${allowed(name, letIn)})`).join(
      ', ',
    ),
    // A frame may open the bank's window and receive its messages.
    'cross-origin-opener-policy': isAlone ? 'same-origin' : 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': HSTS } : {}),
  };
}

export function drawingHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return { ...pageHeaders(publicUrl), 'content-security-policy': DRAWING_POLICY };
}

function allowed(name: string, { payment }: LetIn): string {
  // A frame may only use features that the page itself may use.
  const isAllowed = name === 'payment' && payment.length > 0;
  return isAllowed ? ['self', ...payment.map((origin) => `"${origin}"`)].join(' ') : '';
}

function contentPolicy(publicUrl: string, { sources }: LetIn): string {
  const stream = publicUrl.replace(/^http/, 'ws');
  const also = (name: keyof typeof sources) => (sources[name] ?? []).map((it) => ` ${it}`).join('');
  const frames = also('frame-src');
  return [
    "default-src 'none'",
    `script-src 'self'${also('script-src')}`,
    `style-src 'self'${also('style-src')}`,
    `img-src 'self'${also('img-src')}`,
    "font-src 'self'",
    // Older browsers do not count a stream of the same host as `self`.
    `connect-src 'self' ${stream}${also('connect-src')}`,
    ...(frames === '' ? [] : [`frame-src${frames}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
