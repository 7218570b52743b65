/** Of a run: its turns, and what each changed. */
export interface DiffSource {
  readonly turns: () => readonly string[];
  readonly diff: (name: string) => Promise<string | null>;
}

/** More turns than this are not looked through at the end of a run: it would keep the person waiting. */
const MAX_TURNS = 40;

/** The files that a run's turns changed, sorted; `null` where that is not known or would take too long. */
export async function findChangedFiles(run: DiffSource): Promise<readonly string[] | null> {
  const turns = run.turns();
  if (turns.length === 0 || turns.length > MAX_TURNS) return null;
  const files = new Set<string>();
  for (const name of turns) {
    const patch = await tryDiff(run, name);
    if (patch === null) return null;
    for (const file of listFiles(patch)) files.add(file);
  }
  return [...files].sort();
}

/** A report is no reason to fail. */
async function tryDiff(run: DiffSource, name: string): Promise<string | null> {
  try {
    return await run.diff(name);
  } catch {
    return null;
  }
}

/** The names of the files in a patch of git's. */
export function listFiles(patch: string): readonly string[] {
  const files = new Set<string>();
  for (const match of patch.matchAll(/^diff --git (?:"?a\/(.*?)"?) (?:"?b\/(.*?)"?)$/gm)) files.add(match[2] ?? '');
  files.delete('');
  return [...files];
}
