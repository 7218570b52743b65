import { readFileSync } from 'node:fs';

/** The two ends of a connection to this machine. */
export interface SocketEnds {
  readonly clientPort: number;
  readonly serverPort: number;
}

/**
 * Whose program holds the other end of a connection from this machine, by the tables of the system (Linux); `null` where they do not tell. On other systems,
 * and for programs in another network namespace, nobody knows.
 */
export function findSocketUser(ends: SocketEnds, readTable: (name: string) => string = readSystemTable): number | null {
  for (const name of ['tcp', 'tcp6']) {
    const user = findInTable(readTable(name), ends);
    if (user !== null) return user;
  }
  return null;
}

/** A row: its number, the own end as `address:port` in hexadecimal, the other end, the state, queues, timers, …, the user. */
function findInTable(table: string, { clientPort, serverPort }: SocketEnds): number | null {
  for (const row of table.split('\n')) {
    const [, own = '', other = '', state, , , , user] = row.trim().split(/\s+/);
    if (state === ESTABLISHED && toPort(own) === clientPort && toPort(other) === serverPort && user !== undefined) return Number(user);
  }
  return null;
}

const ESTABLISHED = '01';

function toPort(end: string): number {
  return Number.parseInt(end.slice(end.lastIndexOf(':') + 1), 16);
}

function readSystemTable(name: string): string {
  try {
    return readFileSync(`/proc/self/net/${name}`, 'utf8');
  } catch {
    return '';
  }
}
