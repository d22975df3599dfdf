/** The version of this program, as printed by the command line and returned by `/v1/status`. */

import packageJson from '../../package.json' with { type: 'json' };

export const VERSION = packageJson.version;
