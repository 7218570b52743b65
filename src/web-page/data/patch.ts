/** A file of a patch. */
export interface PatchFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** Its lines as they stand in the patch, those before the first `@@` included. */
  readonly lines: readonly string[];
  readonly bytes: number;
}

/** The files of a patch as git writes it, in its order. */
export function parsePatch(patch: string): readonly PatchFile[] {
  const files: { path: string; added: number; removed: number; lines: string[]; bytes: number; isInHunk: boolean }[] = [];
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) files.push({ path: toPath(line), added: 0, removed: 0, lines: [], bytes: 0, isInHunk: false });
    const file = files.at(-1);
    if (file === undefined) continue;
    file.lines.push(line);
    file.bytes += line.length + 1;
    if (line.startsWith('@@')) file.isInHunk = true;
    else if (file.isInHunk && line.startsWith('+')) file.added += 1;
    else if (file.isInHunk && line.startsWith('-')) file.removed += 1;
  }
  return files.map(({ path, added, removed, lines, bytes }) => ({ path, added, removed, lines, bytes }));
}

/** `diff --git a/src/x.ts b/src/x.ts`: both names are the same but for a rename, where the second is the one it has now. */
function toPath(line: string): string {
  const names = line.slice('diff --git '.length);
  const half = names.slice(2, (names.length - 1) / 2);
  return names.endsWith(` b/${half}`) ? half : (names.split(' b/').at(-1) ?? names);
}
