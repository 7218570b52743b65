/** One path that differs from the last commit, or that git does not know. */
export interface StatusEntry {
  /** Relative to the top of the repository, with `/`; ends in `/` for a repository inside this one. */
  readonly path: string;
  readonly kind: 'changed' | 'unmerged' | 'untracked' | 'ignored';
  /** Index against the last commit: `.`, `M`, `A`, `D`, `T`; `?` and `!` for paths git does not track. */
  readonly staged: string;
  /** Working tree against the index, in the same letters. */
  readonly unstaged: string;
  /** `<mode> <object id>` in the last commit, or {@link ABSENT}. */
  readonly head: string;
  /** The same in the index. */
  readonly index: string;
  /** A submodule, or another repository inside this one: never ours to commit. */
  readonly isRepository: boolean;
}

/** What `git status` showed. */
export interface GitStatus {
  /** Object id of the last commit; null before the first. */
  readonly head: string | null;
  /** Null when the HEAD is detached. */
  readonly branch: string | null;
  readonly entries: readonly StatusEntry[];
}

/** Stands for a file that is not there. */
export const ABSENT = 'absent';

const noMode = '000000';
const submoduleMode = '160000';

/**
 * Reads `git status --porcelain=v2 -z --branch --no-renames`. Records of an unknown kind are passed over: git may add some.
 * Format: git-status(1), "Porcelain Format Version 2".
 */
export function parseStatus(text: string): GitStatus {
  let head: string | null = null;
  let branch: string | null = null;
  const entries: StatusEntry[] = [];
  for (const record of text.split('\0')) {
    if (record.startsWith('# branch.oid ')) head = toHeader(record, '(initial)');
    else if (record.startsWith('# branch.head ')) branch = toHeader(record, '(detached)');
    else {
      const entry = parseEntry(record);
      if (entry) entries.push(entry);
    }
  }
  return { head, branch, entries };
}

function toHeader(record: string, nothing: string): string | null {
  const value = record.split(' ').slice(2).join(' ');
  return value === nothing ? null : value;
}

function parseEntry(record: string): StatusEntry | undefined {
  if (record.startsWith('? ')) return toUnknown(record.slice(2), 'untracked', '?');
  if (record.startsWith('! ')) return toUnknown(record.slice(2), 'ignored', '!');
  // 1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>
  if (record.startsWith('1 ')) return toTracked(record, 8, 'changed');
  // u <XY> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>
  if (record.startsWith('u ')) return toTracked(record, 10, 'unmerged');
  return undefined;
}

function toUnknown(path: string, kind: 'untracked' | 'ignored', code: string): StatusEntry {
  return { path, kind, staged: code, unstaged: code, head: ABSENT, index: ABSENT, isRepository: path.endsWith('/') };
}

function toTracked(record: string, fields: number, kind: 'changed' | 'unmerged'): StatusEntry {
  const words = record.split(' ', fields);
  const [, code = '..', submodule = '', headMode = noMode, indexMode = noMode, workMode = noMode, headId = '', indexId = ''] = words;
  const isMerged = kind === 'changed';
  return {
    path: record.slice(words.join(' ').length + 1),
    kind,
    staged: code[0] ?? '.',
    unstaged: code[1] ?? '.',
    head: isMerged ? toVersion(headMode, headId) : ABSENT,
    index: isMerged ? toVersion(indexMode, indexId) : ABSENT,
    isRepository: submodule.startsWith('S') || [headMode, indexMode, workMode].includes(submoduleMode),
  };
}

function toVersion(mode: string, id: string): string {
  return mode === noMode ? ABSENT : `${mode} ${id}`;
}
