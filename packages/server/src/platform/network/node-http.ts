/**
 * Node's HTTP server without its WebSocket client: an `import` of `node:http` reads every export of the module, and one
 * of them loads a whole HTTP client.
 */
export const { createServer } = process.getBuiltinModule('node:http');
