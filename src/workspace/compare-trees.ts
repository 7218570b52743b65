import type { ScopeChange } from '../core/index.ts';
import { isLock } from './git-guard.ts';
import { ABSENT } from './parse-status.ts';
import type { DirtyVersion, TreeRecord } from './tree-record.ts';

/** Stands for the content that the index has. */
export const AS_IN_INDEX = 'index';

/** One change, with what it takes to see whether it still stands. */
export interface TreeChange extends ScopeChange {
  /** Where it was found. `dirty`: a file that git looks at; `nested`: one of a repository in this one. */
  readonly in: 'dirty' | 'ignored' | 'nested' | 'refs' | 'guarded' | 'index';
  /** What was there before, and what is there now: a version, {@link ABSENT}, or (`dirty`) {@link AS_IN_INDEX}. */
  readonly before: string;
  readonly after: string;
}

/** What differs between two records of a tree, in the order of the paths. Pure. */
export function compareTrees(before: TreeRecord, after: TreeRecord): readonly TreeChange[] {
  const isIgnoredWhole = before.isIgnoredWhole && after.isIgnoredWhole;
  const isNestedWhole = before.isNestedWhole && after.isNestedWhole;
  return [
    ...compareDirty(before.dirty, after.dirty),
    ...withoutUnreached(compareMaps(before.ignored, after.ignored, 'ignored'), isIgnoredWhole),
    ...withoutUnreached(compareMaps(before.nested, after.nested, 'nested'), isNestedWhole),
    ...compareMaps(before.refs, after.refs, 'refs').map((change) => ({ ...change, what: 'ref' as const })),
    ...compareGuarded(before.guarded, after.guarded),
  ];
}

/** What differs in git's own files. A lock that is gone was somebody's who has finished; one that appeared is a change. */
export function compareGuarded(before: TreeRecord['guarded'], after: TreeRecord['guarded']): readonly TreeChange[] {
  return compareMaps(toVersions(before), toVersions(after), 'guarded')
    .filter(({ path, before: was }) => was === ABSENT || !isLock(path))
    .map((change) => ({ ...change, what: 'git' as const }));
}

/** Where one of them was not looked at to its end, a file that only one knows may be one that the other did not reach. */
function withoutUnreached(changes: readonly TreeChange[], isWhole: boolean): readonly TreeChange[] {
  return isWhole ? changes : changes.filter((change) => change.before !== ABSENT && change.after !== ABSENT);
}

function compareDirty(before: ReadonlyMap<string, DirtyVersion>, after: ReadonlyMap<string, DirtyVersion>): readonly TreeChange[] {
  const complete = (own: ReadonlyMap<string, DirtyVersion>, other: ReadonlyMap<string, DirtyVersion>): Map<string, string> => {
    const missing = [...other].filter(([path]) => !own.has(path));
    return new Map([
      ...[...own].map(([path, { version }]) => [path, version] as const),
      ...missing.map(([path, { isTracked }]) => [path, isTracked ? AS_IN_INDEX : ABSENT] as const),
    ]);
  };
  return compareMaps(complete(before, after), complete(after, before), 'dirty');
}

function compareMaps(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  where: TreeChange['in'],
): readonly TreeChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    const [was, is] = [before.get(path) ?? ABSENT, after.get(path) ?? ABSENT];
    return was === is ? [] : [{ path, what: toWhat(was, is), in: where, before: was, after: is }];
  });
}

function toWhat(was: string, is: string): ScopeChange['what'] {
  if (is === ABSENT) return 'deleted';
  return was === ABSENT ? 'created' : 'changed';
}

function toVersions(guarded: TreeRecord['guarded']): ReadonlyMap<string, string> {
  return new Map([...guarded].map(([name, file]) => [name, file.version]));
}
