/** Finds endpoints with the same port. The system would report the second one, and blame another program. */

const ANY = ['0.0.0.0', '::'];
const HERE = ['127.0.0.1', '::1', 'localhost'];

export interface DoorPorts {
  readonly host: string;
  readonly port: number;
  readonly internalHost: string;
  readonly internalPort: number;
  readonly echoPort: number | null;
}

export function portFaults(config: DoorPorts): readonly string[] {
  const { host, port, internalHost, internalPort, echoPort } = config;
  const doors = [
    { name: 'TAPELOOM_PORT', host, port },
    { name: 'TAPELOOM_INTERNAL_PORT', host: internalHost, port: internalPort },
    // On this machine only.
    ...(echoPort === null ? [] : [{ name: '--echo-port', host: '127.0.0.1', port: echoPort }]),
  ];
  return doors.flatMap((one, index) =>
    doors.slice(index + 1).flatMap((other) => {
      const isSame = one.port === other.port && one.port !== 0 && meet(one.host, other.host);
      return isSame
        ? [`${one.name} and ${other.name} are both ${one.port}; use different ports.`]
        : [];
    }),
  );
}

function meet(a: string, b: string): boolean {
  if (a === b || ANY.includes(a) || ANY.includes(b)) return true;
  return HERE.includes(a) && HERE.includes(b) && [a, b].includes('localhost');
}
