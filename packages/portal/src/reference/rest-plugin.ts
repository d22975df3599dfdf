/** Our changes to Swagger UI: no key field, no choice of servers; how each operation can be tried, at what cost. */

import { signInPath } from '../shell/wanted-path.ts';
import { type Operation, type Trying, tryingOf } from './rest-document.ts';
import type { SwaggerReact, SwaggerSystem } from './swagger-shapes.ts';

export interface RestPluginOptions {
  readonly isSignedIn: boolean;
  operationAt(path: string, method: string): Operation | undefined;
}

type Component = (props: Record<string, unknown>) => unknown;

const COSTS: Readonly<Record<string, string>> = {
  getHistory:
    'It is charged: the trades that the page covers, in compute units of your month. Ask GET /v1/history/estimate first.',
};
const COUNTED =
  "It runs with your session and your plan's rights, and counts as one of its requests.";

export function restPlugin({ isSignedIn, operationAt }: RestPluginOptions) {
  const nothing = () => () => null;
  const tryingAt = (path: string, method: string): Trying => {
    const operation = operationAt(path, method);
    return operation === undefined ? { by: 'open' } : tryingOf(operation);
  };
  const isTried = ({ by }: Trying) => by === 'open' || (by === 'session' && isSignedIn);
  return () => ({
    statePlugins: {
      spec: {
        wrapSelectors: {
          allowTryItOutFor: () => (_state: unknown, path: string, method: string) =>
            isTried(tryingAt(path, method)),
        },
      },
    },
    wrapComponents: {
      InfoContainer: nothing,
      ServersContainer: nothing,
      SchemesContainer: nothing,
      AuthorizeBtnContainer: nothing,
      authorizeOperationBtn: nothing,
      // An operation's name is inside a button, where links are not allowed; expanding it still updates the address.
      DeepLink:
        (Original: Component, { React }: SwaggerSystem) =>
        (props: Record<string, unknown>) =>
          String(props.path).includes('/')
            ? React.createElement('span', null, props.text)
            : React.createElement(Original, props),
      parameters:
        (Original: Component, { React }: SwaggerSystem) =>
        (props: Record<string, unknown>) => {
          const [path, method] = props.pathMethod as [string, string];
          const note = noteOf(React, tryingAt(path, method), operationAt(path, method), isSignedIn);
          return React.createElement(
            React.Fragment,
            null,
            note,
            React.createElement(Original, props),
          );
        },
      curl:
        (Original: Component, { React }: SwaggerSystem) =>
        (props: Record<string, unknown>) =>
          React.createElement(Original, { ...props, request: withKey(props.request, tryingAt) }),
    },
  });
}

function noteOf(
  { createElement }: SwaggerReact,
  trying: Trying,
  operation: Operation | undefined,
  isSignedIn: boolean,
): unknown {
  const line = (...children: readonly unknown[]) =>
    createElement('p', { className: 'try-note' }, ...children);
  if (trying.by === 'elsewhere') {
    return line(
      trying.reason,
      ' ',
      createElement('a', { className: 'try-link', href: trying.href }, trying.name),
    );
  }
  if (trying.by === 'open') return null;
  if (!isSignedIn) {
    const href = signInPath(location.pathname);
    return line(createElement('a', { className: 'try-link', href }, 'Sign in to try it'));
  }
  return line(`${COUNTED} ${COSTS[operation?.operationId ?? ''] ?? 'It costs nothing else.'}`);
}

interface ShownRequest {
  get(name: 'url' | 'method'): string;
  setIn(path: readonly string[], value: string): unknown;
}

/** The command to copy is a program's request, with a placeholder for its key. */
function withKey(request: unknown, tryingAt: (path: string, method: string) => Trying): unknown {
  const shown = request as ShownRequest;
  const { pathname } = new URL(shown.get('url'), location.origin);
  const trying = tryingAt(pathname, shown.get('method').toLowerCase());
  if (trying.by === 'open') return request;
  return shown.setIn(['headers', 'Authorization'], 'Bearer YOUR_KEY');
}
