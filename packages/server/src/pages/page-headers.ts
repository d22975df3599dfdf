/**
 * The headers of every page. The policy lets in nothing that is not served by us: no inline script or style,
 * no frame, no other origin. Which origin the stream has follows from the public address alone, never from a
 * header of the request.
 */

/** Nothing in a page asks for any of these. */
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

/** A drawing that is opened by itself has its styles inside, and nothing else to load or run. */
const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function pageHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentPolicy(publicUrl),
    'x-content-type-options': 'nosniff',
    // Less than this would hide from our own forms' requests where they come from.
    'referrer-policy': 'same-origin',
    'permissions-policy': SWITCHED_OFF.map((name) => `${name}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': HSTS } : {}),
  };
}

export function drawingHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return { ...pageHeaders(publicUrl), 'content-security-policy': DRAWING_POLICY };
}

function contentPolicy(publicUrl: string): string {
  const stream = publicUrl.replace(/^http/, 'ws');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    // Older browsers do not take a stream of the same host for `self`.
    `connect-src 'self' ${stream}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
