import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Git } from './git.ts';
import { readGitPlaces } from './read-git-places.ts';
import { toLook } from './walk-files.ts';

/**
 * What git's configuration names to be run, by key as git prints it (`filter.lfs.clean`), with its value: of the system, the user and the repository
 * together, the one that counts.
 */
export type GitPrograms = Readonly<Record<string, string>>;

/** What differs from the programs of the start, and what is done about it. */
export interface ProgramFindings {
  /** Keys that are new, changed or gone, sorted. */
  readonly keys: readonly string[];
  /** What each of them says now; `null`: it is gone. */
  readonly now: Readonly<Record<string, string | null>>;
  /** Variables under which git runs the programs of the start and no others; empty where nothing differs. */
  readonly env: Readonly<Record<string, string>>;
}

/** What git runs on the content of files: filters, what merges two versions of one; and what looks at signatures, with the settings that ask for it. */
const ON_CONTENT =
  /^(?:filter\..+\.(?:clean|smudge|process|required)|merge\..+\.driver|gpg\.(?:.+\.)?(?:program|defaultkeycommand)|merge\.verifysignatures|log\.showsignature|core\.alternaterefscommand)$/s;
/** By what git speaks to others: for an object that is missing it does so on its own in a partial clone. */
const TO_OTHERS =
  /^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\.(?:.*\.)?helper|remote\..*\.(?:vcs|uploadpack|receivepack)|protocol\..*allow)$/s;
const INCLUDE = /^include(?:if\..*)?\.path$/s;

/**
 * Reads them.
 *
 * @throws nothing; where git cannot tell, there are none
 */
export async function readGitPrograms(git: Git): Promise<GitPrograms> {
  return toPrograms(await listConfig(git));
}

/** Where a guard looks. */
export interface GuardedRepository {
  /** Absolute. */
  readonly top: string;
  readonly gitDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Git at the top, unguarded. */
  readonly git: Git;
}

/**
 * Compares git's configuration with what it was at the start of a run. Git is asked only when a file of its configuration looks different from the
 * last time. Never rejects.
 *
 * @param trusted what may be run
 */
export function createProgramGuard(repository: GuardedRepository, trusted: GitPrograms): () => Promise<ProgramFindings> {
  let last: { readonly look: string; readonly files: readonly string[]; readonly findings: ProgramFindings } | null = null;
  return async () => {
    const standing = listStanding(repository);
    if (last !== null && last.look === toLooks([...standing, ...last.files])) return last.findings;
    // The look comes first: what changes while git reads is found the next time.
    const before = toLooks(standing);
    const entries = await listConfig(repository.git);
    const files = [...new Set(entries.flatMap((entry) => listFiles(entry, repository)))].sort();
    const findings = toFindings(toPrograms(entries), trusted, repository.env);
    last = before === toLooks(standing) ? { look: toLooks([...standing, ...files]), files, findings } : null;
    return findings;
  };
}

interface ConfigEntry {
  /** The file that it stands in, as git names it; empty for none. */
  readonly file: string;
  readonly key: string;
  readonly value: string;
}

async function listConfig(git: Git): Promise<readonly ConfigEntry[]> {
  const { stdout } = await git(['config', '--list', '-z', '--includes', '--show-origin']);
  const parts = stdout.split('\0');
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => {
    const [origin = '', text = ''] = [parts[index * 2], parts[index * 2 + 1]];
    const end = text.indexOf('\n');
    const file = origin.startsWith('file:') ? origin.slice('file:'.length) : '';
    return { file, key: end < 0 ? text : text.slice(0, end), value: end < 0 ? '' : text.slice(end + 1) };
  });
}

/** Of several values git takes the last. */
function toPrograms(entries: readonly ConfigEntry[]): GitPrograms {
  return Object.fromEntries(entries.filter(({ key }) => ON_CONTENT.test(key) || TO_OTHERS.test(key)).map(({ key, value }) => [key, value]));
}

function toFindings(now: GitPrograms, trusted: GitPrograms, env: GuardedRepository['env']): ProgramFindings {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(trusted)])].filter((key) => read(now, key) !== read(trusted, key)).sort();
  const said = Object.fromEntries(keys.map((key) => [key, read(now, key) ?? null]));
  if (keys.length === 0) return { keys, now: said, env: {} };
  const onContent = keys.filter((key) => ON_CONTENT.test(key));
  const settings = onContent.map((key) => [key, read(trusted, key) ?? toNothing(key)] as const);
  const begin = Number.parseInt(env['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${begin + index}`, key] as const,
    [`GIT_CONFIG_VALUE_${begin + index}`, value] as const,
  ]);
  return {
    keys,
    now: said,
    env: {
      ...(settings.length === 0 ? {} : { GIT_CONFIG_COUNT: String(begin + settings.length), ...Object.fromEntries(numbered) }),
      ...(keys.length === onContent.length ? {} : { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }),
    },
  };
}

/** A filter may be empty; an empty merge driver would pass for one that did its work, and the program `false` says that there is a conflict, or no signature. */
function toNothing(key: string): string {
  return key.startsWith('filter.') && !key.endsWith('.required') ? '' : 'false';
}

function read(programs: GitPrograms, key: string): string | undefined {
  return Object.hasOwn(programs, key) ? programs[key] : undefined;
}

/** Files that git reads where they are there, and the branch, on which an inclusion may depend. */
function listStanding({ top, gitDir, env }: GuardedRepository): readonly string[] {
  const { gitDir: own, commonDir } = readGitPlaces(top, gitDir);
  const home = env['HOME'] ?? homedir();
  return [
    join(top, '.git'),
    join(own, 'commondir'),
    join(commonDir, 'config'),
    join(own, 'config.worktree'),
    join(own, 'HEAD'),
    env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig',
    ...(env['GIT_CONFIG_GLOBAL'] === undefined
      ? [join(home, '.gitconfig'), join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'git', 'config')]
      : [env['GIT_CONFIG_GLOBAL']]),
  ];
}

/** The file of an entry, and the one that it includes, which need not be there yet. */
function listFiles({ file, key, value }: ConfigEntry, { top, env }: GuardedRepository): readonly string[] {
  const own = file === '' ? [] : [resolve(top, file)];
  if (!INCLUDE.test(key)) return own;
  const path = value.replace(/^~(?=\/)/, env['HOME'] ?? homedir());
  return [...own, isAbsolute(path) || own[0] === undefined ? path : join(dirname(own[0]), path)];
}

function toLooks(files: readonly string[]): string {
  return files.map((file) => toLook(file) ?? '-').join('\n');
}
