import { readFileSync } from 'node:fs';
import { tryOr } from '../core/values/result.ts';

/** The two ends of a connection to this machine. */
export interface SocketEnds {
  readonly clientPort: number;
  readonly serverPort: number;
}

/**
 * Whose programs hold the other end of a connection from this machine, by the tables of the system (Linux); empty where they do not tell. An end that has said all that
 * it has to say counts, too: it can still read. On other systems, and for programs in another network namespace, nobody knows.
 */
export function findSocketUsers(ends: SocketEnds, readTable: (name: string) => string = readSystemTable): readonly number[] {
  return ['tcp', 'tcp6'].flatMap((name) => findInTable(readTable(name), ends));
}

/** A row: its number, the own end as `address:port` in hexadecimal, the other end, the state, queues, timers, …, the user. */
function findInTable(table: string, { clientPort, serverPort }: SocketEnds): readonly number[] {
  return table.split('\n').flatMap((row) => {
    const [, own = '', other = '', state, , , , user] = row.trim().split(/\s+/);
    const isEnd = toPort(own) === clientPort && toPort(other) === serverPort && state !== TIME_WAIT;
    return isEnd && user !== undefined ? [Number(user)] : [];
  });
}

/** Nobody holds such a one any more. */
const TIME_WAIT = '06';

function toPort(end: string): number {
  return Number.parseInt(end.slice(end.lastIndexOf(':') + 1), 16);
}

function readSystemTable(name: string): string {
  return tryOr(() => readFileSync(`/proc/self/net/${name}`, 'utf8'), '');
}
