import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Repository } from './find-repository.ts';
import { readGitPlaces } from './read-git-places.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of git on which it depends which files it lists. */
const SETTINGS = '^core\\.(excludesfile|ignorecase|precomposeunicode|worktree|sparsecheckout|sparsecheckoutcone|untrackedcache)$';
/** A larger file of rules is told by its size and times. */
const MAX_BYTES = 1 << 20;

/** The settings on which it depends which files git lists. Never rejects. */
export async function readIgnoreSettings({ git }: Pick<Repository, 'git'>): Promise<string> {
  const settings = await git(['config', '--null', '--type=path', '--get-regexp', SETTINGS]);
  return `${settings.exitCode}\0${settings.stdout}`;
}

/** What rules there are. */
export interface RuleSources {
  /** What {@link readIgnoreSettings} told. */
  readonly settings: string;
  /** Paths from the top of files of rules that are not among the files of the work. */
  readonly ruleFiles: readonly string[];
  readonly env: Environment;
}

/**
 * A hash of what git passes over by other rules than those in files that it lists itself: `info/exclude`, `core.excludesFile`, and every `.gitignore`
 * that hides itself. With it a file that somebody hides is noticed by the rule that hides it.
 */
export function readIgnoreRules({ top, gitDir }: Pick<Repository, 'top' | 'gitDir'>, { settings, ruleFiles, env }: RuleSources): string {
  const files = [
    join(readGitPlaces(top, gitDir).commonDir, 'info/exclude'),
    ...listDefaults(env),
    ...listExcludeFiles(settings).map((path) => resolve(top, path)),
    ...ruleFiles.map((path) => join(top, path)),
  ];
  const hash = createHash('sha256').update(`${settings}\0`);
  for (const path of [...new Set(files)].sort()) {
    const rules = readRules(path);
    if (rules !== null) hash.update(`${path}\0${rules}\0`);
  }
  return hash.digest('hex').slice(0, 40);
}

/** Where git looks when no other file is named. */
function listDefaults({ XDG_CONFIG_HOME: config = '', HOME: home = '' }: Environment): readonly string[] {
  return [...(config === '' ? [] : [join(config, 'git/ignore')]), ...(home === '' ? [] : [join(home, '.config/git/ignore')])];
}

/** The values of `core.excludesFile` among entries of the form `key LF value NUL`. */
function listExcludeFiles(text: string): readonly string[] {
  return text.split('\0').flatMap((entry) => /^core\.excludesfile\n(.+)$/is.exec(entry)?.[1] ?? []);
}

/** `null` for no file. */
function readRules(path: string): string | null {
  try {
    const stats = lstatSync(path);
    const isRead = stats.size <= MAX_BYTES && (stats.isFile() || stats.isSymbolicLink());
    return isRead ? `text ${readFileSync(path, 'latin1')}` : `look ${stats.mode} ${stats.size} ${stats.mtimeMs}`;
  } catch {
    return null;
  }
}
