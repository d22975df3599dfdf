/** The required runtime; older ones are missing Temporal, zstd or TypeScript support. */

const NODE_MAJOR_MIN = 26;

export function nodeVersionFault(version: string): string | null {
  const major = Number(/^v?(\d+)\./.exec(version)?.[1]);
  if (major >= NODE_MAJOR_MIN) return null;
  return (
    `Tapeloom needs Node ${NODE_MAJOR_MIN} or later, this is ${version}. ` +
    'Start it with `npm start`, which uses the pinned Node that `npm ci` installed.'
  );
}
