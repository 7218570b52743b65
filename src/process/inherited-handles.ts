import { openSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;
/** Higher ones would cost every child a table of that length. */
const MAX_HANDLE = 1023;
const TABLE = '/proc/self/fd';

let shadows: readonly ('ignore' | number)[] | undefined;

/**
 * What stands behind the first three in the `stdio` of a child, so that it gets nothing that was open when this process was started: Node.js sees
 * to that for the first few handles only. A folder among them would lead out of any sandbox that is made of mounts. Empty where there is none.
 */
export function listShadows(): readonly ('ignore' | number)[] {
  shadows ??= toShadows(findInherited());
  return shadows;
}

function toShadows(inherited: readonly number[]): readonly ('ignore' | number)[] {
  const highest = Math.max(0, ...inherited);
  if (highest === 0) return [];
  const nothing = openSync('/dev/null', 'r+');
  return Array.from({ length: highest - 2 }, (_, index) => (inherited.includes(index + 3) ? nothing : 'ignore'));
}

/** Node.js opens its own so that no child gets them: what else is open came from outside. */
function findInherited(): readonly number[] {
  try {
    return readdirSync(TABLE)
      .map(Number)
      .filter((handle) => handle > 2 && handle <= MAX_HANDLE && isHandedOn(handle));
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
