import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { isTameGlob } from './check-glob.ts';
import { openPinned } from './open-pinned.ts';

/** The rules of `.gitignore` files as they hold in one folder. */
export interface IgnoreRules {
  /** @param real absolute path below the folder. */
  readonly isIgnored: (real: string, isFolder: boolean) => boolean;
  /** The rules for a folder below: its own file counts before those above it. */
  readonly enter: (folder: string) => Promise<IgnoreRules>;
}

interface Layer {
  readonly base: string;
  readonly matcher: Ignore;
}

const maxRuleBytes = 256 * 1024;
const maxRules = 5000;

/**
 * The rules that hold in `start`: of every `.gitignore` from the top down, and of `.git/info/exclude`. Where the start itself is ignored, the rules
 * above it say nothing: who asks for an ignored folder by name gets what is in it.
 *
 * @param top real path; `start` is it or below it.
 */
export async function loadIgnoreRules(top: string, start: string): Promise<IgnoreRules> {
  const exclude = await readRules(join(top, '.git', 'info', 'exclude'), top);
  let rules = toRules(exclude === null ? [] : [exclude]);
  const way = relative(top, start).split(sep);
  const isBelow = way[0] !== '' && way[0] !== '..';
  const folders = isBelow ? way.map((_, index) => join(top, ...way.slice(0, index + 1))) : [];
  if (start === top || isBelow) rules = await rules.enter(top);
  for (const folder of folders) {
    if (rules.isIgnored(folder, true)) rules = toRules([]);
    rules = await rules.enter(folder);
  }
  return folders.length === 0 && start !== top ? await toRules([]).enter(start) : rules;
}

function toRules(layers: readonly Layer[]): IgnoreRules {
  return {
    isIgnored: (real, isFolder) => {
      let ignored = false;
      for (const { base, matcher } of layers) {
        const path = relative(base, real).split(sep).join('/') + (isFolder ? '/' : '');
        if (!ignore.isPathValid(path)) continue;
        const verdict = matcher.test(path);
        if (verdict.ignored) ignored = true;
        else if (verdict.unignored) ignored = false;
      }
      return ignored;
    },
    enter: async (folder) => {
      const layer = await readRules(join(folder, '.gitignore'), folder);
      return layer === null ? toRules(layers) : toRules([...layers, layer]);
    },
  };
}

async function readRules(path: string, base: string): Promise<Layer | null> {
  const handle = await openPinned(path, 'file', path);
  if ('refused' in handle) return null;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxRuleBytes), 0, maxRuleBytes, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/).slice(0, maxRules);
    return { base, matcher: ignore().add(lines.filter(isTameGlob)) };
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}
