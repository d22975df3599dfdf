/**
 * What `npm start` runs. It is JavaScript, so that the compiler for TypeScript is not loaded for the first few files
 * alone: from here on whatever was compiled before is found. Threads find it by the variable.
 */

import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const compiled = new URL('../../node_modules/.cache/compiled', import.meta.url);
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(compiled);
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
await import('./src/process/main.ts');
