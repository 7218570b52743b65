import type { FileStat } from '../core/index.ts';

const STATUSES: Readonly<Record<string, FileStat['status']>> = {
  A: 'added',
  D: 'deleted',
  M: 'changed',
  R: 'renamed',
  C: 'renamed',
  T: 'changed',
};
const SUBMODULE = '160000';

/**
 * What `git diff-tree -z --raw --numstat` prints: first a line with modes and a letter for each file, then its lines, each name with a zero byte behind
 * it. Pure; what cannot be read is left out.
 */
export function parseDiffStat(output: string): readonly FileStat[] {
  const parts = output.split('\0');
  const files = new Map<string, FileStat>();
  for (let at = 0; at < parts.length; ) {
    const part = parts[at] ?? '';
    const raw = /^:(\d{6}) (\d{6}) \S+ \S+ ([A-Z])\d*$/.exec(part);
    const counts = raw === null ? /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(part) : null;
    if (raw !== null) {
      const isPair = raw[3] === 'R' || raw[3] === 'C';
      const path = parts[at + (isPair ? 2 : 1)] ?? '';
      files.set(path, toFile(raw, path, isPair ? (parts[at + 1] ?? '') : null));
      at += isPair ? 3 : 2;
    } else if (counts !== null) {
      const isPair = counts[3] === '';
      const path = isPair ? (parts[at + 2] ?? '') : (counts[3] ?? '');
      const file = files.get(path);
      if (file !== undefined) files.set(path, { ...file, added: toNumber(counts[1]), removed: toNumber(counts[2]) });
      at += isPair ? 3 : 1;
    } else at += 1;
  }
  return [...files.values()];
}

function toFile(raw: RegExpExecArray, path: string, from: string | null): FileStat {
  const [, before = '', after = '', letter = ''] = raw;
  return {
    path,
    from,
    status: STATUSES[letter] ?? 'changed',
    added: null,
    removed: null,
    isSubmodule: before === SUBMODULE || after === SUBMODULE,
  };
}

function toNumber(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text);
}
