import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;
/** Higher ones would cost every child a table of that length. */
const MAX_HANDLE = 1023;
const TABLE = '/proc/self/fd';
const LIMITS = '/proc/self/limits';
/** How many numbers above its table a start of a child needs, beside one for each handle that is covered. */
const SPARE_HANDLES = 8;

let shadows: readonly ('ignore' | number)[] | undefined;

/**
 * What stands behind the first three in the `stdio` of a child, so that it gets nothing that was open when this process was started: Node.js sees
 * to that for the first few handles only. A folder among them would lead out of any sandbox that is made of mounts. Empty where there is none.
 */
export function listShadows(): readonly ('ignore' | number)[] {
  shadows ??= toShadows(findInherited());
  return shadows;
}

function toShadows(all: readonly number[]): readonly ('ignore' | number)[] {
  const inherited = dropHighest(all);
  const highest = Math.max(0, ...inherited);
  if (highest === 0) return [];
  const nothing = openSync('/dev/null', 'r+');
  return Array.from({ length: highest - 2 }, (_, index) => (inherited.includes(index + 3) ? nothing : 'ignore'));
}

/**
 * Leaves out, and closes, what lies above the limit of open files or just below: no child could be started with a table of that length. Whoever gave it to
 * this process set the limit afterwards; it was never opened here.
 */
function dropHighest(inherited: readonly number[]): readonly number[] {
  if (inherited.length === 0) return inherited;
  const end = readLimit() - SPARE_HANDLES - inherited.length;
  for (const handle of inherited) if (handle >= end) closeSync(handle);
  return inherited.filter((handle) => handle < Math.min(end, MAX_HANDLE + 1));
}

/** How many files this process may have open; Node.js has raised it as far as it goes. */
function readLimit(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Node.js opens its own so that no child gets them: what else is open came from outside. */
function findInherited(): readonly number[] {
  try {
    return readdirSync(TABLE)
      .map(Number)
      .filter((handle) => handle > 2 && isHandedOn(handle));
  } catch {
    return [];
  }
}

function isHandedOn(handle: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, 'utf8')) ?? [];
    return flags !== '' && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}
