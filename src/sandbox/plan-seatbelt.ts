import { type Confinement, isWithin, type Mount, orderMounts } from './confinement.ts';

/**
 * The same confinement as a profile of macOS' `sandbox-exec -p`. Pure. **Never run**: there was no such machine; it follows the published
 * profiles of the system. Seatbelt cannot put one folder in the place of another, so `own` mounts are writable where they really are (HOME and TMPDIR must
 * point there), and the last rule that fits counts.
 */
export function planSeatbelt({ mounts, hasNetwork }: Confinement): string {
  const ordered = orderMounts(mounts);
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (subpath "/dev"))',
    ...ordered.flatMap((mount) => toRules(mount, ordered)),
    ...(hasNetwork ? [] : ['(deny network*)', '(allow network* (local ip "localhost:*"))']),
    '',
  ].join('\n');
}

function toRules({ kind, path, from = path }: Mount, all: readonly Mount[]): readonly string[] {
  const place = `(subpath ${JSON.stringify(from)})`;
  switch (kind) {
    case 'hidden':
      return [`(deny file-read* ${place})`, ...toWays(path, all)];
    case 'readable':
      return [`(allow file-read* ${place})`, `(deny file-write* ${place})`];
    default:
      return [`(allow file-read* file-write* ${place})`];
  }
}

/** The folders on the way from a hidden one to what is shown in it must be findable. */
function toWays(hidden: string, all: readonly Mount[]): readonly string[] {
  const shown = all.filter(({ kind, path }) => kind !== 'hidden' && path !== hidden && isWithin(path, hidden));
  return shown.length === 0 ? [] : [`(allow file-read-metadata (subpath ${JSON.stringify(hidden)}))`];
}
